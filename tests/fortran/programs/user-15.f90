program dox
real x, d
real*8 y
integer n
n = 0
do x = 0.0, 1.0, 0.1
 n = n + 1
end do
print *, n, x
n = 0
do y = 1d0, 2d0, 0.1d0
 n = n + 1
end do
print *, n, y
n = 0
do x = 1.0, -1.0, -0.2
 n = n + 1
end do
print *, n, x
do i = 2147483645, 2147483646
 n = n + 1
end do
print *, n, i
do i = 1, 10, 4
 n = n + i
end do
print *, n, i
end
