! Program units: arguments, functions, COMMON, DATA, SAVE, statement functions, interfaces.
program units
  implicit none
  integer, parameter :: n = 5, m = 2 * n
  integer :: i, count
  real(kind=8) :: total, x(n), poly
  real :: sq, cube, t
  complex :: z
  character(len=8) :: word
  logical :: flag
  common /shared/ total, count
  data x /1.0, 2*2.5, -3.0, 4d0/, flag /.true./
  interface
    function doubled(a) result(b)
      real(kind=8), intent(in) :: a(:)
      real(kind=8) :: b(size(a))
    end function doubled
    subroutine maybe(a, b)
      integer, intent(in) :: a
      integer, intent(in), optional :: b
    end subroutine maybe
  end interface
  integer, external :: factorial
  external poly
  sq(t) = t * t
  cube(t) = sq(t) * t
  total = 0
  count = 0
  do i = 1, n
    call add(x(i))
  end do
  print *, 'total', total, count
  call bump
  call bump
  call bump()
  print *, 'statement functions', sq(3.0), cube(2.0)
  print *, 'doubled', doubled(x(1:3))
  print *, 'factorial', factorial(m / 2)
  print *, 'poly', poly(2d0)
  call maybe(3)
  call maybe(3, b=4)
  call maybe(b=1, a=2)
  call adjust(x, n, 0)
  print *, 'adjusted', x
  z = (1.5, -2.0) * cmplx(0, 1)
  word = 'it''s'
  print *, z, word, word(2:3), flag, .not. flag .or. m > 3
  write (*, '(a, i4, f8.3, 2(1x, es10.3))') 'formatted', m, 3.14159, 1.0e-5, 2.0
  write (*, 10) i, x(1)
10 format (1x, 'label', i3, f6.2, '&')
end program units

subroutine add(v)
  real(kind=8) :: v, total
  integer :: count
  common /shared/ total, count
  total = total + v; count = count + 1
end subroutine add

subroutine bump
  integer, save :: calls = 10
  integer again
  data again /0/
  save again
  calls = calls + 1
  again = again + 2
  print *, 'bump', calls, again
end

function doubled(a) result(b)
  real(kind=8), intent(in) :: a(:)
  real(kind=8) :: b(size(a))
  b = 2 * a
end function doubled

recursive integer function factorial(k) result(r)
  integer, intent(in) :: k
  if (k <= 1) then
    r = 1
  else
    r = k * factorial(k - 1)
  endif
end function

double precision function poly(x)
  implicit real(kind=8) (a-h, o-z)
  dimension c(0:3)
  data c /1, 2, 3, 4/
  poly = c(0)
  do i = 1, 3
    poly = poly + c(i) * x ** i
  enddo
end function poly

subroutine maybe(a, b)
  integer, intent(in) :: a
  integer, intent(in), optional :: b
  if (present(b)) print *, 'both', a, b
  if (.not. present(b)) print *, 'one', a
end subroutine maybe

subroutine adjust(a, n, low)
  integer :: n, low
  real(kind=8), dimension(low:low + n - 1) :: a
  a(low) = -a(low)
  a(low + n - 1) = 100
end subroutine adjust
