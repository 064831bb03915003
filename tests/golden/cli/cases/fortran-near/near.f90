program near
  real, array(32, 16) :: a, b, c
  real, array(29, 15) :: p, q
  real, array(32, 16) :: s, t
  logical, array(32, 16) :: l
  integer k
!CMF$ LAYOUT a(:NEWS, :NEWS), b(:NEWS, :NEWS), c(:NEWS, :NEWS), l(:NEWS, :NEWS)
!CMF$ LAYOUT s(:SEND, :SERIAL), t(:SEND, :SERIAL)
  forall (k = 1:32) a(k, :) = mod(7 * k, 11)
  b = 1
  p = 2
  s = 3
  l = a > 5
  print *, 'stencils: read in place'
  c = cshift(a, dim=1, shift=1) - 2 * a + eoshift(a, dim=2, shift=-1, boundary=5.0)
  print *, sum(c)
  a = a + cshift(cshift(a, dim=1, shift=1), dim=2, shift=33) * b
  print *, sum(a)
  where (cshift(l, dim=1, shift=-1)) c = max(a, cshift(b, dim=2, shift=2))
  print *, sum(c)
  c(2:31, 2:15) = a(1:30, 2:15) + a(3:32, 3:16)
  print *, sum(c)
  b = cshift(a, dim=1, shift=-1) - cshift(a, dim=1, shift=31)
  print *, sum(b)
  c = cshift(a + b, dim=2, shift=1) + b
  print *, sum(c)
  print *, 'shifted'
  q = cshift(p, dim=1, shift=1)
  print *, sum(q)
  t = cshift(s, dim=1, shift=1)
  print *, sum(t)
  c = cshift(a, dim=1, shift=12) + cshift(a, dim=2, shift=1)
  print *, sum(c)
  c = eoshift(eoshift(a, dim=2, shift=1), dim=1, shift=1)
  print *, sum(c)
  c = eoshift(eoshift(a, dim=1, shift=1), dim=1, shift=-1)
  print *, sum(c)
end program
