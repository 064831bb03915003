program p
integer, parameter :: n = 1
integer k(2)
open (10, fil='x')
open (10, status=1)
read (5, *, iostat=n) x
read (5, *, end=x) y
read (5, *, err=30) y
write (5, *, end=40) y
40 close
inquire (exist=l)
rewind (10, status='old')
read (5, *) n, f(1)
read (5, nml=none)
do i = 1, 2
read *, i
end do
read (5, *, iostat=k) y
end
