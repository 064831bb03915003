! IBITS, ISHFTC, DPROD and other functions of bits and numbers, on the machine and in the front end.
program bits
  implicit none
  integer :: i
  integer, parameter :: low = ibits(1234, 2, 5)
  integer, dimension(12) :: a, b, c
  real, dimension(12) :: x, y
  double precision, dimension(12) :: d
  double precision :: t
  forall (i = 1:12) a(i) = 1000003 * i - 77
  forall (i = 1:12) b(i) = i - 6
  c = ibits(a, 3, 7)
  print *, c, low
  c = ibits(a, b + 5, 4)
  print *, c
  c = ishftc(a, b)
  print *, c
  c = ishftc(a, b, 11)
  print *, c
  do i = 1, 4
    print *, ibits(a(i), i, 2 * i), ishftc(a(i), -i), ishftc(-i, 4 - i, 8 * i), ishftc(i, 0, 1)
  end do
  x = a / 1000.0
  y = 1.0 / x
  d = dprod(x, y)
  print '(4F20.16)', d, dprod(x(3), y(4))
  c = ibset(ibclr(a, 3), 1) + merge(1, 0, btest(a, 2)) + not(a) + ishft(a, -3)
  print *, c
  print '(6F12.5)', aint(x), anint(x), dim(x, 3000.0), sinh(y), cosh(y), tanh(x), log10(x)
  print '(6F12.5)', asin(y), acos(y)
  print *, ceiling(x), floor(x), nint(x), modulo(a, 17), mod(-a, 17)
  call cm_timer_clear(1)
  call cm_timer_start(1)
  x = x + y
  call cm_timer_stop(1)
  t = cm_timer_read_elapsed(1)
  print *, t >= 0, cm_timer_read_cm_busy(1) >= 0
end program
