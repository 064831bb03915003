program c
integer :: i, k(5), ios, m(2,3), n
real :: x, y(4), z(3)
double precision :: d
complex :: cc
character(8) :: s, t(3)
logical :: l, q
character(40) :: line
namelist /g/ i, k, x, y, s, t, l, cc, d
open(10, file='c.dat', status='replace')
write(10,'(a)') ' 12, 3.5 , "a,b" T (1.0,-2.5)', '3*7 2*, 9', "'it''s' abc def/", '1 2', '3,', ',4'
write(10,'(a)') '  12 34-567.12x  1.5', '1 2 3', 'TRUE.F.t.', 'abcdefghij'
write(10,'(a)') '&OTHER A=1 /', ' &G i=5, k(2)=7,8, x = 2.5 ', 'y=4*1.25,', "s='hello', t(2)='zz' l=.true. cc=(1,2) d=1.5d0 /"
rewind(10)
read(10,*) i, x, s, l, cc; print *, i, x, s, l, cc
k = -1
read(10,*) k, n; print *, k, n
t = 'old'
read(10,*) t; print *, t
read(10,*) k(1:4); print *, k
read(10,'(i4,i3,f7.3,1x,f5.1)') i, n, x, d; print *, i, n, x, d
read(10,'(3i2)') k(1:3); print *, k(1:3)
read(10,'(l5,l1,l3)') l, q, l; print *, l, q
read(10,'(a3,a)') s, line; print *, s, line
k = 0; t = ' '
read(10,g); print *, i,k,x,y,s,t,l,cc,d
read(10,*,iostat=ios,end=20) i
print *, 'not here'
20 print *, 'end', ios
backspace 10
backspace 10
read(10,'(a)') line; print *, line
close(10)
open(11,file='c.bin',form='unformatted',status='replace')
write(11) 1, 2.5, 'abc', .true.
write(11) (i*1.0, i=1,4)
m = reshape((/1,2,3,4,5,6/),(/2,3/))
write(11) m(:,2:3), m
rewind 11
read(11) i, x, s(1:3), l; print *, i,x,s(1:3),l
read(11) y(1:2); print *, y(1:2)
m = 0
read(11) m(:,1:2); print *, m
backspace 11; backspace 11
read(11) y; print *, y
close(11, status='keep')
open(12, file='c.dir', access='direct', recl=20, form='formatted', status='replace')
do i = 1, 5
write(12, '(i5,f10.2)', rec=6-i) i, i*1.5
end do
read(12,'(i5,f10.2)',rec=2) i, x; print *, i, x
inquire(12, nextrec=n, recl=i); print *, n, i
close(12)
write(line,'(3i4)') 1,2,3
read(line,*) k(1:3); print *, k(1:3)
write(t,'(i3)') 1,2,3; print *, t
read(t,*) k(1:3); print *, k(1:3)
read(line,'(3(i3,1x))') k(1:3); print *, k(1:3)
end
