! Sections of serial axes, on both sides: subscripts, triplets, FORALL, WHERE, shifts, arguments.
program p
integer, parameter :: n = 24, m = 256
real a(n, m), b(n, m), c(m), d(m, n), e(m, n)
double precision x(n, 8, 64), y(n, 8, 64), z(8, 64), t(8, n, 64), u(8, n, 64)
integer k(n, m), i, j, r(n)
logical l(n, m)
complex q(n, m)
real g(6, 5, m)
!cmf$ layout g(:serial, :serial, :news)
!cmf$ layout a(:serial, :news), b(:serial, :news), k(:serial, :news), l(:serial, :news), q(:serial,:news)
!cmf$ layout d(:news, :serial), e(:news, :serial), x(:serial, :news, :news), y(:serial, :news, :news)
!cmf$ layout t(:news, :serial, :news), u(:news, :serial, :news)
forall (i = 1:n, j = 1:m) a(i, j) = i * 1000 + j
b = -a
b = b * 2.0
c = 3.0
forall (i = 1:m, j = 1:n) d(i, j) = i * 10 + j * 0.5
e = d + 1.0
do i = 2, 5
  b(i, :) = a(i, :)
  b(i + 6, :) = a(i - 1, :) * b(i + 1, :) + c(:)
  c(:) = a(i, :) + c(:)
  c = b(i, :) - c
  e(:, i) = d(:, i + 1) * c + e(:, n - i)
end do
print *, b(3, 1:10), c(1:10), e(1:10, 4)
b(1:n:3, :) = a(n:2:-3, :)
b(2:10, :) = b(1:9, :)
b(3:12, :) = b(4:13, :) + a(3:12, :)
b(n:1:-1, :) = b(:, :)
print *, b(:, 7)
print *, b(:, m)
b(4, 2:m-1) = a(5, 1:m-2) + a(6, 3:m) - b(4, 2:m-1)
b(4, 2:m-1) = b(4, 1:m-2)
b(5, :) = cshift(b(5, :), 1, 3) + eoshift(a(7, :), 1, -2)
b(6:8, :) = cshift(b(5:7, :), 2, 3)
b(7:9, 3:m:2) = a(1:3, 1:m-2:2)
print *, b(4:9, 1:20)
print *, sum(b(4, :)), maxval(a(3, :)), count(b(7, :) > 100.0)
where (a(3, :) > 3010.0)
  b(10, :) = a(1, :)
elsewhere
  b(11, :) = 7.0
  c = b(3, :)
end where
print *, b(10:11, 5:14), c(5:14)
forall (i = 3:20:4) k(i, :) = i
forall (j = 1:m) k(7, j) = j * 2
forall (i = 2:20:3, j = 1:m) b(i, j) = a(i + 1, j) * i + j
forall (i = 2:20:3, j = 1:m, mod(j, 2) == 0) a(i, j) = a(i, j) * i + j
print *, k(1:20, 5), b(1:20, 9), a(1:20, 8)
forall (i = 1:6, j = 1:5) g(i, j, :) = i * 10 + j
g(2, 3:3, :) = g(2:2, 3, :) + g(3, 3:3:-1, :)
do i = 2, 4
  g(i, 5:1:-2, :) = g(i - 1, 3:5, :) + g(i, 1:3, :) + g(i + 2, 2:4, :)
end do
print *, g(:, :, 3)
forall (i = 2:6:2) b(i, :) = a(i + 1, :) * i - b(i, :)
forall (i = 2:6) b(i, 2:m:2) = b(i - 1, 1:m - 1:2) + i
forall (i = 2:6, mod(i, 2) == 0) b(i, :) = b(i + 1, :) + 1.0
forall (i = 1:5) g(i, 1:4, :) = g(i + 1, 2:5, :) * 2.0
forall (j = 1:5) g(2, j, :) = g(3, j, :) + j
forall (i = 2:3, j = 1:4) g(i, j, :) = g(i, j + 1, :) - g(i - 1, j, :) + i * j
forall (i = 2:4) b(i, :) = c + a(i, :)
print *, b(1:7, 10), g(:, :, 4)
l = .false.
l(3, :) = a(3, :) > c
q(2, :) = cmplx(a(3, :), c)
q(3, :) = q(2, :) * q(2, :)
print *, l(3, 1:20), q(3, 1:5)
forall (i = 1:n, j = 1:8) r(i) = i
x = 1.5d0
y = 2.5d0
z = 1.0d0
t = 3.0d0
u = 4.0d0
do i = 1, 4
  x(i, :, :) = y(i + 2, :, :) * z + x(i + 1, :, :)
  z = z + x(i, :, :) * 0.5d0
  u(:, i, :) = t(:, i + 1, :) + z * x(i, :, :)
  t(:, 2 * i, :) = u(:, i, :) * t(:, i, :)
  t(:, i:i+3, :) = u(:, i+1:i+4, :) + t(:, i:i+3, :)
  x(i:i+2, :, :) = y(i:i+2, :, :) + x(i+1:i+3, :, :)
  x(i, 3, :) = y(i, 4, :)
  x(i, :, 5) = y(i + 1, :, 6)
  x(i, 2:7, 2:63) = x(i + 1, 1:6, 2:63) + x(i, 3:8, 1:62)
end do
print *, x(1:5, 3, 5), z(1:3, 7), u(1:3, 2, 4), t(3, 1:8, 9)
print *, sum(x), sum(t), sum(u), sum(y(2, :, :)), sum(t(:, 3, :))
b(12, :) = sum(a, 1)
d(:, 3) = a(4, :)
d(:, 4:6) = spread(a(2, :), 2, 3)
a = spread(b(3, :), 1, n)
print *, b(12, 1:5), d(1:5, 2:6), a(5, 1:6)
call s(b(5, :), a(6:8, :))
print *, a(6:8, 1:4)
end program
subroutine s(v, w)
real v(256), w(3, 256)
w(2, :) = v
w(3, :) = w(2, :) + v(:)
end subroutine
