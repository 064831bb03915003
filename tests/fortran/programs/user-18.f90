program gs
  implicit none
  integer, parameter :: n = 40
  integer idx(n), p(n), h(8), i, j, k
  real a(n), b(n), m(n,n)
  forall (i=1:n) idx(i) = mod(i*13, n) + 1
  forall (i=1:n) a(i) = i*1.5
  forall (i=1:n, j=1:n) m(i,j) = i*100+j
  b = a(idx)
  print '(8f8.2)', b
  b(idx) = a
  print '(8f8.2)', b
  forall (i=1:n) b(i) = m(idx(i), i)
  print '(8f8.1)', b
  forall (i=1:n) b(i) = m(i, i)
  print '(8f8.1)', b
  forall (i=1:n) m(i, n+1-i) = -1
  print *, sum(m), count(m < 0)
  b = m(idx, 5) - m(7, idx)
  print '(8f8.1)', b
  h = 0
  do i = 1, n
    h(mod(idx(i), 8) + 1) = h(mod(idx(i),8)+1) + 1
  end do
  print *, h
  forall (i=1:n:3, a(i) > 10.0) a(i) = a(n+1-i) ** 2
  print '(8f8.2)', a
  forall (i=1:n) p(i) = count(a < a(i))
  print '(10i4)', p
  forall (i=1:8) h(i) = sum(idx(i:n:8))
  print *, h
  where (idx(1:n) > 20)
    a = -a
    b = a + 1
  elsewhere
    b = 0
  end where
  print '(8f8.2)', a, b
  m(2:n-1, 2:n-1) = m(1:n-2, 3:n) + m(3:n, 1:n-2)
  print *, m(5, 6:9), sum(m)
  m(idx(1:3), 1:4) = 0
  print *, count(m == 0), idx(1:3)
end
