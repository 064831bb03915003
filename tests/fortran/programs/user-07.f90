program cplx
  implicit none
  integer, parameter :: n = 9
  complex z(n), w(n)
  complex*16 zd(n)
  real x(n), y(n)
  integer i
  forall (i=1:n) x(i) = i*0.3
  forall (i=1:n) y(i) = 2.0 - i*0.4
  z = cmplx(x, y)
  w = z*z - conjg(z)/(1.0,2.0)
  print '(3(2f10.4))', w
  print '(5f10.5)', abs(w)
  print '(5f10.5)', aimag(w), real(z)
  print '(3(2f10.5))', sqrt(w)
  print '(3(2f10.5))', exp(z), log(z)
  print '(3(2f10.5))', z**2, z**3, z**(-1)
  print *, sum(w), product(z(1:3))
  print *, dot_product(z, w)
  zd = z
  zd = zd * (0d0, 1d0)
  print '(3(2f10.5))', zd
  print *, sum(abs(zd)**2)
  print *, count(z == w), any(z /= w)
  print '(3(2f10.5))', cshift(z, dim=1, shift=2)
  print '(3(2f10.5))', eoshift(z, dim=1, shift=-2)
  print '(3(2f10.5))', merge(z, w, x > 1.5)
  w = 3
  print *, w(1), cmplx(1), (1,2)*2, z(2)/z(3)
end program
