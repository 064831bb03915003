program main
  call missing(1)
  call other("a")
  i = 1.0 .or. .true.
end program

subrutine other(c)
  integer d
  d = c(2)
end subroutine

subroutine third(e)
  e = f(1)
  e = e(1)
end subroutine
