! The use of arguments that the call leaves out is refused, with the line.
program p
  interface
    subroutine s(a, b, c)
      real a(4)
      real, optional :: b, c(4)
    end subroutine
  end interface
  real a(4)
  a = 1
  call s(a)
end program
subroutine s(a, b, c)
  real a(4)
  real, optional :: b, c(4)
  b = 3
end subroutine
