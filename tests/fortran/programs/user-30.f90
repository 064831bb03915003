program fn
  implicit none
  integer, parameter :: n = 6
  real a(n), b(n), mean
  integer i, cnt
  logical odd(n)
  interface
    function smooth(x) result(y)
      real x(:)
      real y(size(x))
    end function
    function mask(k, n) result(m)
      integer n, k(n)
      logical m(n)
    end function
    function zmat(n) result(z)
      integer n
      complex z(n, n)
    end function
  end interface
  forall (i=1:n) a(i) = i*i
  b = smooth(smooth(a)) + smooth(a(n:1:-1))
  print '(6f9.3)', b
  odd = mask((/1,2,3,4,5,6/), 6)
  print *, odd, count(mask((/2,4,5/), 3))
  where (mask((/1,2,3,4,5,6/), n)) b = -b
  print '(6f9.3)', b
  print *, mean(a, n), mean(b(1:3), 3), sum(zmat(3)), zmat(2)
  print *, sum(smooth(a)), maxloc(smooth(a)), size(smooth(a(2:4)))
  b(1:3) = smooth(a(1:6:2))
  print '(6f9.3)', b
  if (any(mask((/1,3/), 2)) .and. mean(a, n) > 1) print *, 'ok'
  do while (mean(a, n) > 2.0)
    a = smooth(a) / 2
  end do
  print '(6f9.4)', a
end
function smooth(x) result(y)
  real x(:)
  real y(size(x))
  y = (cshift(x, dim=1, shift=1) + x + cshift(x, dim=1, shift=-1))/3
end function
function mask(k, n) result(m)
  integer n, k(n)
  logical m(n)
  m = mod(k, 2) == 1
end function
real function mean(x, n)
  integer n
  real x(n)
  integer i
  mean = 0
  do i = 1, n
    mean = mean + x(i)/n
  end do
end function
function zmat(n) result(z)
  integer n, i, j
  complex z(n, n)
  forall (i=1:n,j=1:n) z(i,j) = cmplx(i, j)
end function
