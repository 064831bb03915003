! Subscripts of serial axes that depend on data: values, targets, masks, several tables and axes.
program p
integer, parameter :: n = 24, m = 256
real a(n, m), b(n, m), c(m), d(m, n), g(6, 5, m), h(6, m)
double precision x(n, 8, 32), y(n, 8, 32), z(8, 32), t(8, n, 32)
integer k(m), kk(n, m), k2(8, 32), i, j, low(0:n-1, m), two(m)
logical l(n, m)
complex q(n, m), s(n, m)
double complex w(n, m), v(m)
!cmf$ layout a(:serial, :news), b(:serial, :news), c(:news), d(:news, :serial), k(:news)
!cmf$ layout g(:serial, :serial, :news), h(:serial, :news), kk(:serial, :news), two(:news)
!cmf$ layout x(:serial, :news, :news), y(:serial, :news, :news), z(:news, :news)
!cmf$ layout t(:news, :serial, :news), k2(:news, :news), low(:serial, :news)
!cmf$ layout l(:serial, :news), q(:serial, :news), s(:serial, :news), w(:serial, :news), v(:news)
forall (i = 1:n, j = 1:m) a(i, j) = i * 1000 + j
forall (i = 1:n, j = 1:m) kk(i, j) = mod(i * 5 + j * 7, n) + 1
forall (i = 1:m) k(i) = mod(i * 13, n) + 1
forall (i = 1:m) two(i) = mod(i * 3, 5) + 1
forall (i = 1:8, j = 1:32) k2(i, j) = mod(i * j, n) + 1
b = 0.0
c = 1.0
d = 0.0
! values
forall (i = 1:m) b(1, i) = a(k(i), i)
forall (i = 1:m) c(i) = a(k(i), i) * 2.0 + a(mod(i, n) + 1, i) - c(i)
forall (i = 1:m) d(i, 3) = a(k(i), i)
forall (i = 1:m) d(i, n) = d(i, mod(k(i), n) + 1) + 0.5
print *, b(1, 1:20), c(1:20), d(1:20, 3), d(1:20, n)
! along serial axes of the target, too
forall (i = 1:n, j = 1:m) b(i, j) = a(kk(i, j), j) + c(j)
print *, b(:, 7), b(5, 1:20)
forall (i = 2:n, j = 1:m) b(i, j) = a(kk(i - 1, j), j) + b(i - 1, j)
print *, b(:, m), sum(nint(b))
forall (i = 1:n, j = 1:m) b(i, j) = b(kk(i, j), j)
print *, b(:, 9), b(3, 1:20)
forall (i = 1:n, j = 1:m) b(i, j) = a(k(j), j) + i
print *, b(:, 11)
! parts of the parallel axis, strides, masks that guard subscripts
forall (i = 3:m-5:2) b(2, i) = a(k(i), i)
forall (i = 3:m, k(i) > 5) b(3, i) = a(k(i) - 5, i)
forall (i = 1:m, k(i) > 5 .and. mod(i, 3) == 0) b(4, i) = b(k(i) - 5, i) + b(4, i)
print *, b(2, 1:20), b(3, 1:20), b(4, 1:20)
! two axes, other bounds, other types
forall (i = 1:6, j = 1:5, k0 = 1:m) g(i, j, k0) = i * 100 + j * 10 + mod(k0, 10)
forall (i = 1:m) c(i) = g(mod(i, 6) + 1, two(i), i)
print *, c(1:30)
forall (i = 1:6, j = 1:m) h(i, j) = g(7 - i, two(j), j)
print *, h(:, 3), h(2, 1:20)
forall (i = 0:n-1, j = 1:m) low(i, j) = i * 7 + j
forall (i = 1:m) k(i) = low(low(0, i) - i + mod(i, n), i)
print *, k(1:30)
forall (i = 1:m) k(i) = mod(i * 11, n) + 1
forall (i = 1:n, j = 1:8, k0 = 1:32) x(i, j, k0) = i * 1.5d0 + j * 100 + k0
y = 0
forall (i = 1:8, j = 1:32) z(i, j) = x(k2(i, j), i, j)
forall (i = 1:8, j = 1:32) t(i, 2, j) = x(k2(i, j), i, j) + z(i, j)
forall (i = 1:8, j = 1:32) y(k2(i, j), i, j) = z(i, j) + t(i, 2, j)
print *, z(3, :), t(:, 2, 5), sum(y), y(:, 3, 4)
forall (i = 1:n, j = 1:m) q(i, j) = cmplx(i * 1.0, j * 2.0)
s = (0.0, 0.0)
forall (i = 1:m) s(2, i) = q(k(i), i) * (0.0, 1.0)
forall (i = 1:m) s(k(i), i) = s(k(i), i) + cmplx(aimag(q(k(i), i)), real(q(1, i)))
forall (i = 1:m) s(2, i) = cmplx(aimag(s(k(i), i)), real(s(k(i), i)))
print *, s(2, 1:12), s(:, 5)
forall (i = 1:n, j = 1:m) w(i, j) = dcmplx(i * 1.0d0, j * 0.25d0)
forall (i = 1:m) v(i) = w(k(i), i) * w(1, i)
forall (i = 1:m) w(k(i), i) = v(i)
print *, v(1:10), w(:, 6)
forall (i = 1:n, j = 1:m) l(i, j) = mod(i + j, 3) == 0
forall (i = 1:m) l(1, i) = l(k(i), i) .or. l(2, i)
forall (i = 1:m, l(k(i), i)) c(i) = -1.0
print *, l(1, 1:20), c(1:20)
! targets
b = 0.0
forall (i = 1:m) b(k(i), i) = i
forall (i = 1:m) b(k(i), i) = b(k(i), i) + a(1, i)
forall (i = 5:m-1:3) b(mod(i, n) + 1, i) = -1.0
forall (i = 1:m, k(i) < n) b(k(i) + 1, i) = a(k(i), i) * 0.5
print *, b(:, 5), b(:, 8), sum(nint(b))
forall (i = 1:n) b(i, i) = i * 3.0
forall (i = 1:n) b(i, i) = b(i, i) + a(n + 1 - i, i)
print *, (b(i, i), i = 1, n)
forall (i = 1:m) g(mod(i, 6) + 1, two(i), i) = 7.0
print *, g(:, :, 4), sum(g)
end
