program fft
  implicit none
  integer, parameter :: n = 16
  complex*16 x(n), w(n), y(n)
  integer rev(n), i, k, m, j
  real*8, parameter :: pi = 3.141592653589793d0
  forall (i=1:n) x(i) = dcmplx(i, -i*0.5d0)
  do i = 0, n-1
    k = 0; m = i
    do j = 1, 4
      k = k*2 + mod(m, 2); m = m/2
    end do
    rev(i+1) = k+1
  end do
  x = x(rev)
  m = 1
  do while (m < n)
    forall (i=0:n-1) w(i+1) = exp(dcmplx(0d0, -pi*mod(i, m)/m))
    forall (i=1:n) y(i) = x(merge(i+m, i-m, mod((i-1)/m, 2) == 0))
    where (mod([0:n-1]/m, 2) == 0)
      x = x + w*y
    elsewhere
      x = y - w*x
    end where
    m = m*2
  end do
  print '(2f16.10)', x
  print *, abs(x(1)), conjg(x(2)), dimag(x(3)), dble(x(4))
end
