! Functions that change an array's shape, sections elsewhere and vectors of subscripts, on the CM.
program transform
  integer, array(6, 5) :: m
  integer, array(5, 6) :: t
  integer, array(6, 6) :: p
  integer, array(0:4) :: v
  integer, array(6) :: w
  integer, array(3, 4, 5) :: q
  integer, array(3, 5) :: r
  integer, array(2) :: place
  logical, array(6) :: g
  logical, array(5, 5) :: l
  complex, array(5) :: z
  complex, array(6, 5) :: c
!CMF$ LAYOUT t(:SERIAL, :NEWS)
  integer i, j, k
  forall (i = 1:6, j = 1:5) m(i, j) = mod(i * 17 + j * 5, 11)
  forall (i = 1:3, j = 1:4, k = 1:5) q(i, j, k) = i * 17 + j * 5 - k * 3
  t = transpose(m(6:1:-1, :)) + transpose(m)
  print *, t
  p = matmul(m, t) - 1
  print *, p
  v = [1:5]
  w = matmul(m, v)
  print *, w
  v = matmul(w, m)
  print *, v
  c = cmplx(m, 1)
  z = matmul(cmplx(w, 2), c)
  print *, z
  w = sum(m, dim=2)
  print *, w
  v = sum(m, 1, m .gt. 3)
  print *, v
  v = product(m, 1, mask=m .lt. 3)
  print *, v
  r = maxval(q, dim=2) - minval(q, dim=2)
  print *, r
  w = count(m .gt. 4, 2)
  print *, w
  g = any(m .eq. 3, 2)
  print *, g
  place = maxloc(m)
  print *, place
  place = minloc(m, mask = m .gt. 20)
  print *, place
  p = spread(w, 1, 6) + spread(p(:, 3), 1, 6) + spread(p(3, :), 1, 6)
  print *, p
  q(:, 2, :) = r
  q(2:3, 1:3:2, 2) = m(4:1:-3, 1:3:2)
  print *, q
  w = m([6, 5, 1, 2, 3, 4], 3)
  print *, w
  v = [5, 3, 1, 2, 4]
  m(1:3, v) = m(2:6:2, :)
  m([6, 5, 1, 2, 3, 4], :) = m + 1
  print *, m
  where (m(1:3, 1:4) .gt. 5) m(2:4, 2:5) = 0
  print *, m
  l = spread(any(t .gt. 7, 2), 2, 5)
  l = matmul(l, l)
  print *, l
end program
