! Shifts of arrays onto themselves: any distance, several axes, expressions, conditions, masks.
program onto
  implicit none
  integer :: i, j, k
  integer, dimension(24, 16) :: a
  integer, dimension(37) :: v
  real(8), dimension(16, 8, 4) :: r
  complex, dimension(10, 6) :: z
  logical, dimension(24, 16) :: m
  a = reshape([(i * 7, i = 1, 384)], [24, 16])
  v = [(i, i = 1, 37)]
  r = reshape([(i * 0.5d0, i = 1, 512)], [16, 8, 4])
  do j = 1, 6
    do i = 1, 10
      z(i, j) = cmplx(i, j)
    end do
  end do
  m = mod(a, 3) == 1
  do k = -26, 26, 5
    a = cshift(a, k, 1)
    a = 2 * cshift(a, shift=k - 1, dim=2) - k
    v = eoshift(v, k, boundary=k)
    v = v(1) + cshift(v, k)
    r = cshift(r, k, 2)
    r = -eoshift(r, shift=k / 9, dim=3, boundary=0.25d0)
    z = cshift(cshift(z, k, 1), -k, 2) * (0.5, 0.0)
    m = .not. cshift(m, k, 1)
    a = mod(a, 1000)
    print *, k, sum(a), a(1, 1), a(24, 16), sum(v), v(1), v(37), sum(r), r(1, 1, 1), z(1, 1), z(10, 6), count(m), m(1, 1)
  end do
  a = a + cshift(a, 1, 1)
  a = cshift(a, 1, 2) - cshift(a, -1, 2)
  where (m) a = cshift(a, 3, 1)
  if (any(m)) a = 3 + cshift(a, v(1), 2)
  r = abs(cshift(r, 1, 1)) + max(1.0d0, 2.0d0)
  v = v / max(1, abs(cshift(v, 2)))
  call turn(a, 24, 5)
  print *, a
  print *, v
  print *, r(:, 1, 1), r(16, 8, :)
  print *, z(:, 3)
end program

subroutine turn(x, n, by)
  implicit none
  integer :: n, by
  integer, dimension(n, 16) :: x
  x = cshift(x, by, 1) * 2
  x = x - eoshift(x, -by, 0, 2)
end subroutine
