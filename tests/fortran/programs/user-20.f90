program nest
  implicit none
  integer, parameter :: n = 24
  real*8 u(n,n), f(n,n), unew(n,n), err
  logical inner(n,n)
  integer it, i, j
  u = 0; f = 0
  f(n/2, n/2) = 1d0
  inner = .false.
  inner(2:n-1, 2:n-1) = .true.
  it = 0
  do
    it = it + 1
    where (inner)
      unew = 0.25d0*(cshift(u, dim=1, shift=1) + cshift(u, dim=1, shift=-1) + cshift(u, dim=2, shift=1) + cshift(u, dim=2, shift=-1) + f)
    elsewhere
      unew = 0d0
    end where
    err = maxval(abs(unew - u))
    u = unew
    if (err < 1d-3 .or. it >= 30) exit
  end do
  print *, it, err
  print '(6f12.8)', u(n/2, :)
  do i = 1, 3
    do j = i, 3
      where (u > 0.001d0*j) u = u - 0.0005d0*i
      if (i == 2 .and. j == 3) cycle
      u(i, :) = u(j, :) + u(:, j)
    end do
  end do
  print '(6f12.8)', u(1,:)
  print *, count(u > 0)
end
