subroutine turn(a)
  integer a(4, 3)
  a = cshift(a, 1, 2)
end subroutine
