program dat
  implicit none
  integer a(3,4), b(6), i, j
  real x, y, z(5)
  logical l(3)
  complex c
  real*8 d
  integer, parameter :: tab(5) = (/ 10, 20, 30, 40, 50 /)
  character*5 name
  parameter (name = 'HELLO')
  data ((a(i,j), i=1,3), j=1,4) / 6*1, 6*2 /
  data b(1), b(3), b(5) / 11, 33, 55 /, (b(i), i=2,6,2) / 3*-1 /
  data x, y / 1.5, -2 /, z / 2*0.5, 3*1e3 /
  data l / .true., 2*.false. /, c / (1.0, 2.0) /, d / 1.23456789d0 /
  print *, a
  print *, b
  print *, x, y, z
  print *, l, c, d
  print *, tab(2:4), sum(tab), tab(3)
  print *, name
  a = a + spread(tab(1:4), 1, 3)
  print *, a
  print '(a, 3(i4, ","), i4)', ' row:', a(2,:)
  print 100, (i, z(i), i=1,5)
  print 100
  print '(//, a, /)', 'mid'
100 format (' z(', i1, ') = ', f8.2)
end
