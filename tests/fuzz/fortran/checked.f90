! A unit for each part of the checker.
program p
end
subroutine t1
integer i
real x
real*8 d
complex z
i = x + d
x = i / 2
z = d
d = z
i = z
x = i ** 2 + x ** i + x ** d
z = z ** x
end
subroutine t2
parameter (n = 2 ** 5 - 1, x = n / 2 * 1.5, pi = 3.5)
real*8, parameter :: d = 1d0 / 3
logical, parameter :: l = n > 3 .and. .not. pi < 3
print *, n, x, d, l, mod(-7, 3), modulo(-7, 3), max(1, 5, 3), sqrt(2.25), int(-2.7), nint(2.5), abs(-3), real(7), (1.0, 2.0) * (0.0, 1.0), iand(12, 10), ishft(1, 4), 7 / 0, huge(1), kind(1d0), selected_real_kind(12)
end
subroutine t4
real a(10), b(10), c(10), d(10), e(10), f(10), g(10)
real, allocatable :: h(:)
a = 0
c(1) = sum(b(2:4)) + size(d)
where (e > 0) e = 1
forall (i = 1:10) f(i) = i
print *, g, c(1:3)
allocate (h(3))
end
subroutine t7
real a(4, 5, 6), b(6, 5)
!cmf$ layout a(3:news, :send, :serial)
!cmf$ align b(i, j) with a(k, j, i)
real c(7)
!cmf$ layout c(:serial)
end
subroutine t9
integer, parameter :: v(4) = (/ (i * i, i = 1, 4) /)
real :: m(2, 2) = reshape([1, 2, 3, 4], [2, 2]), z(3) = 0
real q(2) /2*1.5/
print *, v(2), m, z, q
end
subroutine t10
integer i
real x
outer: do i = 1, 10, 3
do while (x > 0)
if (x > 5) cycle outer
if (x > 4) exit outer
x = x - 1
end do
end do outer
do
exit
end do
do 10 x = 1, 2
10 i = i + 1
end
subroutine t11
do 10 i = 1, 2
do 10 j = 1, 2
if (i == j) goto 10
k = i
10 continue
end
subroutine t12
if (k > 1) then
k = 1
else if (k < -1) then
k = 2
else
k = 3
end if
if (k == 3) stop 'end'
end
subroutine t13
logical l
select case (k + 1)
case default
k = 0
case (:-1)
k = 1
case (2, 4:6, 10:)
k = 2
end select
select case (l)
case (.true.)
k = 3
end select
end
subroutine t14
real a(5), b(5)
logical m(5)
where (a > b)
a = b
where (m) b = 0
elsewhere (m)
a = 1
elsewhere
a = 2
end where
end
subroutine t15
integer a(5, 5), v(5)
forall (i = 1:5, j = 1:4:2, a(i, j) > 0)
a(i, j) = i * j
v(i) = a(i, 1)
end forall
i = 3
forall (k = 1:5) a(k, :) = v + k
end
subroutine t16
real a(6)
integer n
a = [1, 2.5, [3, 4], 5:6]
a(1:n) = [n:1:-1]
a = (/ ((i * j, i = 1, 2), j = 1, 3) /)
a = [3[0.5, n]]
end
subroutine t17
real a(10, 10), v(10)
integer k(3)
a(1:10:2, 3) = a(:5, 1)
v(k) = a(k, 2)
a(:, 1) = v(10:1:-1)
x = a(k(1), 2)
end
subroutine t20
real*8 d, g
f(x) = x * x + c
g(x) = f(x) / 2
d = g(c + 1.0)
end
subroutine t21
real a(4, 5), b(4, 5), r(5), v(4)
b = cshift(a, 1, -1) + cshift(a, shift=1, dim=2) + cshift(a, 2, shift=3)
v = cshift(v, 2)
b = eoshift(a, 2, -1, 1.5) + eoshift(a, 1, 1) + eoshift(a, 1, 1, boundary=r)
end
subroutine t22
real a(4, 5), v(5), w(4)
logical m(4, 5)
complex z
real*8 d
a = merge(a, 0.0, m)
v = sum(a, dim=1, mask=m)
x = sum(a, m) + maxval(a) + dotproduct(v, v)
k = count(m) + size(a, 2) + ubound(a, 1)
w = matmul(a, v)
a = spread(v, 1, 4)
a = transpose(reshape([1:20], [5, 4]))
z = cmplx(x, k) + conjg(z)
d = dble(x) + dmax1(d, 1d0) + amax0(1, k) + real(z) + aimag(z)
v = pack(a, m, v)
a = unpack(v, m, 0.0)
print *, maxloc(a), shape(a), btest(k, 2), ceiling(x), lbound(a)
end
subroutine t23
include '/usr/include/cm/cmssl-cmf.h'
real a(8, 8), b(8, 8), c(8)
integer id, ier
id = pshift_setup(2, a, ier, cmssl_cshift, 1, 1, cmssl_eoshift_0, 2, -1)
call pshift(2, id, ier, cmssl_cshift, b, a, 1, 1, cmssl_eoshift_array, a, b, 2, -1, c)
call deallocate_pshift_setup(id)
end
subroutine t24
real x(10), y
real*8 t
integer k(5)
call cm_timer_clear(0)
call cm_timer_start(0)
call random_number(x)
call random_number(y)
call cmf_random(k, 6)
t = cm_timer_read_cm_busy(0)
end
subroutine t25
real a(3)
character*(*) fmt
parameter (fmt = '(1x, 2i5)')
print *
print *, 'it''s', a, (a(i), i, i = 1, 3)
write (*, 10) k, k
write (6, fmt) k
write (*, *) [1, 2]
10 format (' k:', 2(i3, '/)'), 1p, e10.3e2, 3habc, t20, /, l2)
end
subroutine t26
real, allocatable :: a(:, :)
integer ios
allocate (a(0:3, 5), stat=ios)
a = 1
if (allocated(a)) deallocate (a)
end
subroutine t28
10 k = 1
if (k) 10, 20, 30
20 goto (10, 30), k
30 if (k > 5) goto 10
do i = 1, 2
goto 40
40 end do
end
