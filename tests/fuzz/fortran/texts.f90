!
program texts
  character(len=8) :: name
  integer i, j
  integer, allocatable :: w(:)
  real, dimension(6) :: x
!cmf$ layout x(:news)
  name = 'cm'
  name = trim(name) // '-200'
  x = 1.0
  do i = 1, 4
    select case (i)
    case (1)
      x = x + eoshift(x, -1, boundary=2.0)
    case (2:3)
      x = merge(x, 0.5, x > 1.5)
    case default
      allocate (w(i))
      w = i
      print *, w, sum(w)
      deallocate (w)
    end select
  end do
  print *, name, index(name, '2'), x, maxloc(x), product(x)
  print '(a, 3es10.2)', name(1:2), x(1:3)
  stop
end
