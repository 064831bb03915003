program shifts
  implicit none
  integer a(4,5), b(4,5), s4(4), s5(5), i, j, v(7), bd(5)
  forall (i=1:4,j=1:5) a(i,j) = 10*i + j
  s4 = (/ 1, -1, 0, 7 /)
  s5 = (/ 0, 1, 2, -3, 5 /)
  v = (/ 1,2,3,4,5,6,7 /)
  bd = (/ -1,-2,-3,-4,-5 /)
  print '(4i4)', cshift(a, dim=1, shift=1)
  print '(4i4)', cshift(a, dim=2, shift=-2)
  print '(4i4)', cshift(a, dim=1, shift=s5)
  print '(4i4)', cshift(a, dim=2, shift=s4)
  print '(4i4)', eoshift(a, dim=1, shift=1)
  print '(4i4)', eoshift(a, dim=1, shift=-1, boundary=bd)
  print '(4i4)', eoshift(a, dim=1, shift=s5, boundary=99)
  print '(4i4)', eoshift(a, dim=1, shift=s5, boundary=bd)
  print '(4i4)', eoshift(a, dim=2, shift=s4)
  print '(7i4)', cshift(v, dim=1, shift=3), cshift(v, dim=1, shift=-10), cshift(v, dim=1, shift=0), eoshift(v, dim=1, shift=3), eoshift(v, dim=1, shift=-9), eoshift(v, dim=1, shift=2, boundary=77)
  print '(4i4)', cshift(cshift(a, dim=1, shift=1), dim=2, shift=1)
  a(2:3, :) = cshift(a(2:3, :), dim=2, shift=1)
  print '(4i4)', a
  a(:, 1:5:2) = eoshift(a(:, 5:1:-2), dim=1, shift=1, boundary=5)
  print '(4i4)', a
  v = cshift(v, dim=1, shift=1) + 2*cshift(v, dim=1, shift=-1) - eoshift(v, dim=1, shift=2) * eoshift(v, dim=1, shift=-2)
  print *, v
end program
