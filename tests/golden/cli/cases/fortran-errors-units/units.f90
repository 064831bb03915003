! Statements that cannot be read, and what else is wrong in the other units. Nothing is said about
! names that only the unread statements declare.
program main
  real a(8), b(9)
  a = b
  call broken(a, c(1))
  call broken(a, a, a)
  x = helper(a) + helper2(1)
  call right(a, b)
end program

subroutine broken(a, b)
  real a(8
  integer b(8)
  b(1, 2) = 3
end subroutine

subroutine right(x)
  real x(8)
  common /shared/ u, v
  u = x
end subroutine

real function helper(x)
  real, array(8) :: x
  common /shared/ u
  helper = = x(1)
end function

subroutine unended(i)
  if (i > 1) then
    y = i .and. 1
subroutine after(k)
  integer k(2)
  k(3) = 1
  k = .true.
end subroutine
