! DATA statements within blocks give initial values, and their variables are saved.
program data_in_blocks
  integer :: i
  do i = 1, 3
    call add(i)
  end do
end program

subroutine add(i)
  integer :: i, calls, first(3)
  if (i > 1) then
    data calls /10/
    calls = calls + i
  else
    select case (i)
    case (1)
      data first /3*5/
      first(i) = 6
    end select
  end if
  print *, calls, first
end subroutine
