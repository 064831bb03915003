! The same as machine.fcm.
program machine
  implicit none
  integer, parameter :: n = 8
  integer :: i, k(n, 3)
  real, dimension(n) :: a, b, c, d, e, f
  complex :: z(n)
  a = (/ (i, i = 1, n) /)
  b = (/ (i, i = n, 1, -1) /)
  k(:, 1) = (/ 1, 2, 3, 1, 2, 3, 0, 0 /)
  k(:, 2) = 2
  k(:, 3) = (/ 1, 3, 5, 7, 2, 4, 6, 8 /)
  print *, a, b, k
  print *, cshift(a, 1), cshift(a, -2)
  print *, eoshift(a, 1), eoshift(a, -1, 7.0)
  print *, cshift(k, 1, 2), dot_product(a, b)
  b = cshift(a, 3)
  c = eoshift(a, 1, -5.0)
  d = eoshift(a, -1, -5.0)
  e = eoshift(a, 2)
  f = eoshift(a, -2, 1.0)
  print *, b, c, d, e, f, 0
  z = cmplx(a, -a)
  z = 2 * z
  z = eoshift(z, 1, (1.0, 0.0))
  z = eoshift(z, 1, (1.0, 0.0))
  print *, z
end program machine
