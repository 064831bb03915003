program fmt
  implicit none
  real a(5), s
  real*8 d
  complex c
  logical l
  integer i, iv(4)
  a = (/ 1.5, -2.25, 0.0, 1.0e10, -3.4e-12 /)
  d = 3.14159265358979d0
  c = (1.0, -2.5)
  l = .true.
  iv = (/ 1, -20, 300, 2147483647 /)
  print *, a
  print *, d, -d, d*1d100, 1d-300
  print *, c, cmplx(d, 2d0), dcmplx(d, 2d0)
  print *, l, .not. l, iv
  print '(5f10.3)', a
  print '(5e12.4)', a
  print '(5es12.4)', a
  print '(1p,5e12.4)', a
  print '(5g14.5)', a
  print '(3i6/3i8.5)', iv
  print '(a, t20, a, tr3, i3, tl6, i2)', 'abc', 'def', 12, 7
  print '(sp, i5, f8.2, ss, i5)', 5, 2.5, 5
  print '(l3, l1)', l, .false.
  print '(2(i3, 1x, f6.2, :, ", "))', 1, 1.0, 2, 2.0
  print '(f5.1)', 123456.0
  print '(i3)', 12345
  print '(d15.6)', d
  print '(f0.3, 1x, i0)', d, 42
  write (*, '(a)') 'here'
  write (6, *) 'unit', 6
  do i = -3, 3
    s = 10.0**i * 1.2345678
    print *, s, dble(s)
  end do
  print *, huge(1), huge(1.0), tiny(1.0), epsilon(1d0), huge(1d0)
  print *, 'it''s', "quote""d"
  print *
  print '(2f8.2)', c
  print '(e10.3e3, e8.1)', 1.5e-20, 9.96
  print *, 0.1, 0.1d0, 1.0/3.0, 1e7, 1e8, 123456789.0, 1d15,1d16,1d17
end program
