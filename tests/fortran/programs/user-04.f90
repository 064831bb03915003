program wh
  implicit none
  integer, parameter :: n = 17
  real a(n), b(n)
  integer m(n), i, j, t(5,6)
  forall (i=1:n) a(i) = i - 9
  where (a > 0.0)
    b = sqrt(a)
  elsewhere (a == 0.0)
    b = -1.0
  elsewhere
    b = a*a
  end where
  print '(6f8.3)', b
  where (a(1:n:2) < 0) b(n:1:-2) = 100.0 + a(1:n:2)
  print '(6f9.3)', b
  forall (i=1:5, j=1:6, mod(i+j,2)==0) 
    t(i,j) = i*10+j
  end forall
  forall (i=1:5, j=1:6, mod(i+j,2)/=0) t(i,j) = -t(min(5,i+1),min(6,j))
  print '(6i6)', (t(i,:), i=1,5)
  m = (/ (mod(i*7, n)+1, i=1,n) /)
  a(m) = a
  print '(9f6.1)', a
  print '(9f6.1)', a(m(1:9))
  a(m(1:3)) = (/ 1000., 2000., 3000. /)
  print '(9f8.1)', a
  forall (i=2:n-1) a(i) = a(i-1) + a(i+1)
  print '(9f8.1)', a
  forall (i=1:5) t(i, m(i)/4+1) = 999
  print '(6i6)', (t(i,:), i=1,5)
end program
