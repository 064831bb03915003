program files
  integer :: i, k(4), ios, lab
  real :: x, y(2, 2)
  character(12) :: c, t(2), f*20
  logical :: l
  namelist /g/ i, k, x, c
  open (10, status='scratch')
  write (10, '(3i4, f8.3, 1x, a, z4)') 1, 2, 3, 2.5, 'text', 255
  write (10, *) (k(i), i = 1, 4), y, 'a b', (1.0, 2.0), l
  write (10, g)
  rewind 10
  read (10, '(3i4, f8.3, 1x, a4)', iostat=ios, end=20, err=30) k(1:3), x, c
  read (10, *, iostat=ios) k, y
  read (10, nml=g, iostat=ios)
20 backspace 10
30 endfile 10
  inquire (10, opened=l, access=c)
  close (10)
  open (11, status='scratch', access='direct', recl=16, form='unformatted', iostat=ios)
  write (11, rec=3, iostat=ios) k
  read (11, rec=3, iostat=ios) y
  f = '(2(i3, :, ","))'
  write (c, f) k(1:2)
  read (c, *, iostat=ios) k(3:4)
  write (t, '(a)') 'x', c
  assign 40 to lab
  go to lab, (40, 50)
50 call s(1, *40)
40 print '(g0, en12.3, b8, *(1x, i0))', x, x, 5, k
  if (k(1)) 60, 60, 70
60 call e(k)
70 write (0, *) 4hABCD, z'ff', 2 * -3
end program
subroutine s(n, *)
  integer :: a(4)
  return n
  entry e(a)
  print *, a
end subroutine
