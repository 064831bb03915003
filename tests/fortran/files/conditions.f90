program b
integer :: ios, i
real :: x
logical :: e,o
character(20) :: s, acc, frm
open(10, file='none.dat', status='old', iostat=ios); print *, ios
open(10, status='scratch')
read(10,*,iostat=ios) i; print *, ios
read(10,*,iostat=ios) i; print *, ios
rewind 10
write(10,*) 'a b', 1, 2.5
write(10,'(a)') '12x'
rewind 10
read(10,'(a)') s; print *, '[',s,']'
read(10,*,iostat=ios) i; print *, ios
read(10,'(i3)',iostat=ios) i; print *, ios
s = ' '
inquire(10, exist=e, opened=o, access=acc, form=frm, name=s); print *, e,o,acc,frm,s
close(10)
open(11,status='scratch',access='direct',recl=8, form='unformatted')
write(11,rec=3) 1.5d0
read(11,rec=2,iostat=ios) x; print *, ios, x
read(11,rec=9,iostat=ios) x; print *, ios
read(11,rec=1,iostat=ios) x,x,x; print *, ios
write(s,*) 12, 'abc'
print *, '[',s,']'
write(s,'(i4)',iostat=ios) 123456; print *, ios,s
write(s(1:3),'(i4)',iostat=ios) 12; print *, ios
read(s,'(i4)', iostat=ios) i; print *, ios
inquire(99, exist=e, opened=o, access=acc, form=frm, number=i); print *, e,o,acc,frm,i
s = ' '
inquire(file='none', exist=e, opened=o, number=i,name=s); print *, e,o,i,s
do i = 1, 8
s = ' '
if (i == 1) s = 'e5'
if (i == 2) s = '.'
if (i == 3) s = '-'
if (i == 4) s = '-.'
if (i == 5) s = '1 2.5'
if (i == 6) s = '1+2'
if (i == 7) s = 'x'
read (s, '(f8.2)', iostat=ios) x
if (ios == 0) print *, i, x
if (ios /= 0) print *, i, 'bad'
end do
open(12,status='bad',iostat=ios); print *, ios
close(12,status='delete')
end
