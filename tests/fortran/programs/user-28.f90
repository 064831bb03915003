program par
implicit none
integer a(4), k, b(4)
k = 3
a = (/1,2,3,4/)
call inca((a), 4)
print *, a
call inca(a + 0, 4)
print *, a
call inca(+a, 4)
print *, a
call inc(k + 0)
print *, k
call inc(+k)
print *, k
call inc((a(2)))
print *, a
call two(a, (a), 4)
print *, a
call two(a, a(4:1:-1) , 4)
print *, a
b = a
call two(b, cshift(b, 1, 1), 4)
print *, b
call inc((k))
print *, k
end
subroutine inca(x, n)
integer n, x(n)
x = x + 1
end
subroutine two(x, y, n)
integer n, x(n), y(n)
x = x * 2
x = x + y
end
subroutine inc(i)
integer i
i = i + 1
end
