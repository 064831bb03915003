program scanp
  implicit none
  integer, parameter :: n = 32
  integer a(n), i, s, k, rank(n)
  logical m(n), seg(n)
  real x(n), y(n)
  forall (i=1:n) a(i) = mod(i*i*7+3, 41)
  forall (i=1:n) x(i) = sum(a(1:i))
  print '(8f8.1)', x
  s = 1
  do while (s < n)
    a = a + eoshift(a, dim=1, shift=-s)
    s = s * 2
  end do
  print '(8i8)', a
  print *, all(a == nint(x))
  a = mod(a, 17)
  do i = 1, n
    m = a < a(i)
    rank(i) = count(m) + count(a(1:i) == a(i))
  end do
  y(rank) = a
  print '(16f5.0)', y
  m = a > cshift(a, dim=1, shift=-1)
  k = count(m)
  print *, k, pack(a, m)
  where (m .and. .not. cshift(m, dim=1, shift=1)) a = 0
  print '(16i4)', a
  do i = 1, n-1, 2
    if (a(i) > a(i+1)) then
      k = a(i); a(i) = a(i+1); a(i+1) = k
    else if (a(i) == a(i+1)) then
      a(i) = -1
    else
      continue
    endif
  enddo
  print '(16i4)', a
  seg = m .eqv. cshift(m, dim=1, shift=1)
  print *, count(seg), count(m .neqv. seg), ieor(3,5), merge(a, 0, seg)
end
