program fres
  implicit none
  interface
    function tri(n) result(r)
      integer n
      integer r(n)
    end function
    function outer(a, b) result(c)
      real a(:), b(:)
      real c(size(a), size(b))
    end function
  end interface
  real x(4), y(3), f, z
  integer k
  f(z) = z*z + 3.0*z - 1.0
  x = (/ 1.0, 2.0, 3.0, 4.0 /)
  y = (/ (0.5*k, k=1,3) /)
  print *, tri(6)
  print *, sum(tri(10))
  print *, outer(x, y)
  print *, sum(outer(x,y), dim=1)
  print *, f(2.0), f(x(3))
end program
function tri(n) result(r)
  integer n, i
  integer r(n)
  do i = 1, n
    r(i) = i*(i+1)/2
  end do
end function
function outer(a, b) result(c)
  real a(:), b(:)
  real c(size(a), size(b))
  c = spread(a, 2, size(b)) * spread(b, 1, size(a))
end function
