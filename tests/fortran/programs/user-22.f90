program frac
  real a(12)
  integer i
  real*8 b(12)
  do i = 1, 12
    a(i) = (-1)**i * 10.0**(i-6) * 0.55555
    b(i) = a(i)
  end do
  print *, a
  print *, b
  print '(12f9.2)', a
  print '(6f9.0)', a
  print '(6g12.4)', a
  print '(6e12.3)', b
  print '(4d20.10)', b
  print '(6es11.2)', b
  print '(6f0.2)', a
  print '(3f5.3)', 0.5, -0.5, 10.5
  print '(2pf10.3, 0p, e12.4, 2pe12.4)', a(5), a(6), a(7)
  print '(i5.3, i3.3, i0, i5)', 7, -7, -7, -7
  print '(4l2)', .true., .false.
  print '(a3, a8)', 'abcdef', 'abc'
end
