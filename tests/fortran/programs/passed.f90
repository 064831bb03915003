! Intrinsic functions as arguments, by way of other arguments too, and sections of arrays of CHARACTER.
program passed
  implicit none
  intrinsic sin, exp, alog, dsqrt, datan2, mod, iabs, aimag, sqrt, sign, nint, csqrt
  real :: trapezes
  real(8) :: of_double
  integer :: of_integers
  external trapezes, of_double, of_integers
  character(len=4) :: names(6), grid(3, 2)
  integer :: i
  print *, trapezes(sin, 0.0, 2.0, 20), trapezes(exp, 0.0, 1.0, 10), trapezes(alog, 1.0, 2.0, 10)
  print *, trapezes(sqrt, 0.0, 4.0, 8), of_double(dsqrt, 2d0)
  print *, of_integers(mod, 17, 5), of_integers(mod, -17, 5)
  call twice(datan2, 1d0, 3d0)
  call through(sin, 0.5)
  call of_complex(aimag, csqrt, (3.0, 4.0))
  call rounded(nint, 2.5, -2.5, 0.49)
  do i = 1, 6
    names(i) = repeat(char(ichar('a') + i - 1), i)
  end do
  grid = 'none'
  call shout(names(2:5), 4)
  print *, names
  call shout(names(6:1:-2), 3)
  print *, names
  call shout(names([1, 3]), 2)
  print *, names
  grid(2, :) = 'row'
  call shout(grid(2, :), 2)
  call shout(grid(2:3, 2), 2)
  print *, grid
  call shout(names(4:3), 0)
end program

real function trapezes(f, from, to, n)
  implicit none
  real :: f, from, to
  integer :: n, i
  external f
  trapezes = 0.5 * (f(from) + f(to))
  do i = 1, n - 1
    trapezes = trapezes + f(from + i * (to - from) / n)
  end do
  trapezes = trapezes * (to - from) / n
end function

real(8) function of_double(f, x)
  implicit none
  real(8) :: f, x
  external f
  of_double = f(x) + f(x + 1)
end function

integer function of_integers(f, a, b)
  implicit none
  integer :: f, a, b
  external f
  of_integers = f(a, b)
end function

subroutine twice(f, y, x)
  implicit none
  real(8) :: f, y, x
  external f
  print *, f(y, x), f(x, y)
end subroutine

subroutine through(f, x)
  implicit none
  real :: f, x, trapezes
  external f, trapezes
  print *, trapezes(f, 0.0, x, 4)
end subroutine

subroutine of_complex(part, root, z)
  implicit none
  real :: part
  complex :: root, z
  external part, root
  print *, part(z), root(z)
end subroutine

subroutine rounded(f, a, b, c)
  implicit none
  integer :: f
  real :: a, b, c
  external f
  print *, f(a), f(b), f(c)
end subroutine

subroutine shout(texts, n)
  implicit none
  integer :: n, i
  character(len=*) :: texts(n)
  do i = 1, n
    print *, i, ' ', texts(i), len(texts(i))
    texts(i)(1:1) = 'X'
  end do
end subroutine
