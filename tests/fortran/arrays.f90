! Arrays: sections, constructors, masks, shifts in the order of Fortran 90, reductions.
program arrays
  implicit none
  integer, parameter :: n = 6
  integer :: a(n, n), v(n), w(0:n - 1), i, j
  real, dimension(n) :: r, s
  real, allocatable :: p(:, :)
  logical :: mask(n)
  v = (/ 1, 2, (i * i, i = 3, 5), 99 /)
  w = [(2 * i, i = 1, n)]
  forall (i = 1:n, j = 1:n, i /= j) a(i, j) = 10 * i + j
  forall (i = 1:n)
    a(i, i) = -i
  end forall
  print *, a
  print *, a(1:n:2, 3), a(2, n:1:-2), v(w(0:2))
  v(::2) = v(2::2) + w(0:4:2)
  print *, v, cshift(v, 2), cshift(v, shift=-1), cshift(a, 1, 2)
  print *, eoshift(v, 1), eoshift(v, -2, 7), eoshift(a, 1, -1, 2), eoshift(v, 1, boundary=3)
  r = v / 3.0
  where (r > 2.0) s = 1 / r
  where (r <= 2.0)
    s = r
  elsewhere (r > 20)
    s = -1
  elsewhere
    s = s + 1
  end where
  print *, s
  mask = v > 5 .and. mod(v, 2) == 0
  print *, mask, count(mask), any(mask), all(mask), merge(v, -v, mask)
  print *, sum(a), sum(a, 1), sum(a, dim=2, mask=a > 20), product(v(1:3)), maxval(a), minval(a, 1)
  print *, maxloc(a), minloc(v), dot_product(v, w), matmul(a(1:2, :), a(:, 1:2))
  print *, transpose(a(1:2, 1:3)), spread(v(1:2), 2, 3), reshape(v, (/ 2, 3 /))
  print *, pack(v, mask), unpack((/ 1., 2., 3., 4., 5., 6. /), mask, r), size(a), lbound(w), ubound(a, 2)
  allocate (p(0:2, -1:1))
  p = 0.5
  p(1, :) = (/ 1.0, 2.0, 3.0 /)
  print *, p, shape(p), lbound(p), -p(1, 0) ** 2
  deallocate (p)
  print '(6(i4, ","))', (v(i), i = 1, n), ((a(i, j), i = 1, 2), j = 1, 3)
end program arrays
