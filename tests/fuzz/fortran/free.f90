! in free form
program free
  implicit none
  real(kind=8), dimension(4, 4), save :: a = 0.0_8
  integer :: i, j
!cmf$ layout a(:news, :news)
  do i = 1, 4; do j = 1, &
    & 4
    a(i, j) = i + & ! a comment
      j
  end do; end do
  print *, 'a string that goes &
    &on', sum(a, dim = 1), maxval(a, mask = a > 2)
10 continue
  if (any(a == 3)) goto 10
end program free
