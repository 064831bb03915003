! What a review found: groups of -O1 with functions of the front end, masks that guard bounds, masks
! of callers, sections backwards, FORALL in functions, STOP in a function, subscripts that a call changes.
program review
  integer, parameter :: n = 12
  integer a(n), k(4), i, j
  real b(n), c(n), d(n), p, q, r, s, t, row(1, n)
  real*8 e(n, 3)
  logical m(n), mm(n, 3)
  integer twice, halt
  real total
  forall (i = 1:n) b(i) = 0.25 * i
  c = b + 1.0
  d = tanh(c) + log10(c)
  print *, abs(d(1) - (tanh(1.25) + log10(1.25))) .lt. 1e-6, abs(d(n) - (tanh(4.0) + log10(4.0))) .lt. 1e-6
  forall (i = 1:n) a(i) = i * i
  forall (i = 1:n, i > 1) a(i) = a(i - 1) + 1
  print *, a
  m = b > 1.0
  where (m)
    c = total(3) * b
  elsewhere
    c = -b
  end where
  print *, c
  row(1, :) = b
  print *, maxval(b(n:1:-1)), minval(row(1, :)), count(m(n:1:-1)), sum(a(n:1:-1))
  forall (i = 1:n) a(i) = i
  a = twice(3) * a
  print *, a
  k = 0
  i = 1
  call change(k(i), i)
  print *, k, i
  mm = .false.
  forall (i = 1:n, j = 1:3) e(i, j) = i + 100 * j
  mm(:, 2) = .true.
  print *, maxval(e, dim=1, mask=mm)
  p = 0.5
  q = 0.25
  r = 0.125
  s = 2.0
  t = 1.0
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  c = p * b + q * c + r * d + s * b + t
  print *, abs(c(n)) .lt. 1000.0
  do i = 1, 100
    c = cshift(b, dim=1, shift=i) + cshift(b, dim=1, shift=-i)
  end do
  print *, c
  print *, (a(i), i = 1, 0), i
  forall (i = 1:n) e(i, :) = i
  print *, e(3, :), e(n, :)
  forall (j = 1:3) e(:, j) = b * j
  print *, e(:, 2)
  forall (i = 2:n) e(i, 1:2) = e(i - 1, 2:3)
  print *, e
  print *, 1 / halt(0)
end program
real function total(k)
  integer k
  real x(5)
  x = 1.0
  total = k * x(5)
end function
integer function twice(k)
  integer k, i, x(4)
  forall (i = 1:4) x(i) = k * i
  twice = x(2)
end function
subroutine change(x, i)
  integer x, i
  x = 5
  i = 3
end subroutine
integer function halt(k)
  integer k
  halt = k
  stop
end function
