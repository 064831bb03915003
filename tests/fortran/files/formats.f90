program a
integer :: i, k(3), j(2,2)
real :: x, y(2)
double precision :: d
complex :: c
character(5) :: s, t(2)
logical :: l
namelist /g/ i, k, x, y, d, c, s, t, l, j
i=3; k=(/1,2,2/); x=1.5; y=0; d=2.5d0; c=(1,2); s='ab'; t='x'; l=.true.; j=7
write(*,g)
write(*,'(g0)') 1.5, 1e10, 1d0, 3, .true., 'abc', 0.0, 1e-5
write(*,'(g0.4)') 1.5, 1e10, 1d0, 3, .true., 'abc'
write(*,'("[",i4.0,"]","[",i0.0,"]","[",i4.2,"]")') 0,0,0
write(*,'("[",z8,"]","[",z0,"]","[",z8.4,"]",o12,b10,b0)') 255,-1,10,8,5,5
write(*,'(z8,1x,z16)') 1.0, 1d0
write(*,'(en12.3,en12.3,en12.3,en15.3e3,en12.1)') 123456.0, 0.00123, 999999.9, 0.0, 9.99e5
write(*,'(en15.5e4,en14.5e4,e13.4e2,es13.4e3,en12.3e1)') 9.9999999d7, 9.9999999d7, 1d100, 1d100, 1e9
write(*,'(6(en9.1))') 0.95, 9.96, 99.95, 999.96, 0.0, -0.04
write(*,'(3g12.4)') 0.1, 1e6, 5
write(*,'(a,$)') 'no newline'
write(*,*) 'x'
write(*,'(1x,i3,*(",",i2))') 1,2,3,4
end
