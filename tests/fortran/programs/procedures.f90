! Procedures as arguments: functions and subroutines, declared EXTERNAL, by interface, or by their use alone; passed on.
program procedures
  external square, cube, halve, negate
  real square, integral, twice
  double precision cube, steps
  real a(16)
  integer count
  external count, even
  logical even
  forall (i = 1:16) a(i) = i
  print *, integral(square, 0.0, 1.0, 8)
  print *, steps(cube, 10)
  print *, twice(square, 3.0)
  call apply(halve, a, 16)
  print *, a
  call apply(negate, a, 16)
  print *, a
  call both(halve, negate, a)
  print *, a
  print *, count(even, 10)
  if (maxval(a) > -100.0) a = square(2.0) * a
  print *, a
end program

real function square(x)
  square = x * x
end function

double precision function cube(x)
  double precision x
  cube = x**3
end function

logical function even(i)
  even = mod(i, 2) == 0
end function

! F is a function because it is called.
real function integral(f, from, to, n)
  real f, from, to, h
  integer n
  h = (to - from) / n
  integral = 0
  do i = 1, n
    integral = integral + h * f(from + (i - 0.5) * h)
  end do
end function

double precision function steps(f, n)
  implicit none
  integer n, i
  interface
    double precision function f(x)
      double precision x
    end function
  end interface
  steps = 0
  do i = 1, n
    steps = steps + f(dble(i))
  end do
end function

real function twice(g, x)
  real g, x, once
  external g
  twice = once(g, once(g, x))
end function

real function once(g, x)
  real g, x
  once = g(x)
end function

integer function count(f, n)
  logical f
  external f
  count = 0
  do i = 1, n
    if (f(i)) count = count + 1
  end do
end function

subroutine apply(s, x, n)
  integer n
  real x(n)
  call s(x, n)
end subroutine

subroutine both(first, second, x)
  external first, second
  real x(16)
  call apply(first, x, 16)
  call apply(second, x, 16)
end subroutine

subroutine halve(x, n)
  integer n
  real x(n)
  x = cshift(x, dim=1, shift=1) / 2
end subroutine

subroutine negate(x, n)
  integer n
  real x(n)
  where (x > 2.0) x = -x
end subroutine
