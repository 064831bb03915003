program fin
  implicit none
  integer, parameter :: n = 10
  real x(n), y(n), z(n)
  integer i, j, m(3,3), v(3)
  real*8 q
  x = (/ (i*1.0, i=1,n) /)
  y = x**2
  z = x/y + y/x - x*y
  print *, z
  print *, (x(i), y(i), i=1,3), ((i*j, i=1,2), j=1,2)
  x(2:5) = x(1:4)
  x(7:10) = x(10:7:-1)
  print '(10f6.1)', x
  y(1:9:2) = y(2:10:2)
  print '(10f6.1)', y
  m = 0
  forall (i=1:3) m(i,i) = i
  m(2, :) = (/7,8,9/)
  v = m(:, 3) + m(3, :)
  print *, m, v
  do i = 1, 3
    do j = 1, 3
      if (m(i,j) == 0) then
        m(i,j) = i + j
        cycle
      end if
      m(i,j) = m(i,j)*10
    end do
  end do
  print '(3i4)', transpose(m)
  q = 0
  do i = 1, 100
    if (mod(i,2) == 0) cycle
    if (i > 50) exit
    q = q + 1d0/i
  end do
  print *, q, i
  print *, x(minloc(x)), x(maxloc(x))
end
