!
program runs
  integer, parameter :: n = 8
  real, dimension(n, n) :: a, b
  real s(n)
  integer k(n), i, j
  logical m(n, n)
  forall (i = 1:n, j = 1:n) a(i, j) = i + 0.5 * j
  m = a > 4.0
  where (m)
    b = cshift(a, 1, 1) - eoshift(a, 1, dim=2)
  elsewhere
    b = -a
  end where
  a(2:7:2, :) = b(1:3, :)
  k = [(n - i, i = 0, n - 1)]
  s = sum(a, dim=1, mask=m)
  s(k) = s * 2.0
  do i = 1, 3
    call step(a, b)
    if (maxval(a) > 1e6) exit
  end do
  print *, sum(a), minloc(s), count(m), any(m)
  print '(2(f8.2, i4))', s(1), k(2), dot_product(s, s), k(3)
end program runs
subroutine step(x, y)
  real, dimension(8, 8) :: x, y
  x = 0.25 * (cshift(x, 1, 1) + cshift(x, -1, 1)) + spread(y(1, :), 1, 8)
end subroutine step
