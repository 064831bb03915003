program side
  implicit none
  integer f, k, i, a(6), cnt
  common /c/ cnt
  cnt = 0
  a = 0
  do i = 1, 6
    a(i) = f(i) + f(i+1)
  end do
  print *, a, cnt
  k = f(2) * f(3) - f(4)
  print *, k, cnt
  if (f(1) > 0 .and. f(2) > 0) print *, 'yes', cnt
  a = f(3)
  print *, a, cnt
  forall (i=1:6) a(i) = i*i
  a(a(1):a(2)) = f(a(3))
  print *, a, cnt
  call bump(a(3))
  call bump(a(a(5)-23))
  print *, a
  call swap(a(1:3), a(4:6))
  print *, a
  call bumpall(a(6:1:-2), 3)
  print *, a
end program
integer function f(x)
  integer x, cnt
  common /c/ cnt
  cnt = cnt + 1
  f = x*10 + cnt
end function
subroutine bump(x)
  integer x
  x = x + 1
end subroutine
subroutine swap(x, y)
  integer x(3), y(3), t(3)
  t = x
  x = y
  y = t
end subroutine
subroutine bumpall(x, n)
  integer n, x(n), i
  do i = 1, n
    x(i) = x(i) * i
  end do
end subroutine
