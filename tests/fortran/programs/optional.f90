! OPTIONAL arguments: given, left out, by keyword, and passed on.
program options
  interface
    subroutine scaled(a, factor, shift, name, count)
      real a(8)
      real, optional :: factor, shift(8)
      character(len=*), optional :: name
      integer, optional, intent(inout) :: count
    end subroutine
    real function mean(x, mask)
      real x(8)
      logical, optional :: mask(8)
    end function
    real function applied(x, f)
      real x
      real, external, optional :: f
    end function
  end interface
  external third
  real a(8), s(8)
  integer :: n = 0
  logical m(8)
  forall (i = 1:8) a(i) = i
  s = cshift(a, dim=1, shift=1)
  m = a > 3.0
  call scaled(a)
  print *, a
  call scaled(a, 2.0)
  print *, a
  call scaled(a, shift=s)
  print *, a
  call scaled(a, 0.5, s(8:1:-1), 'all', n)
  print *, a, n
  call scaled(count=n, a=a, name='some')
  print *, a, n
  print *, mean(a), mean(a, m), mean(mask=.not. m, x=a), applied(3.0), applied(3.0, third)
end program

subroutine scaled(a, factor, shift, name, count)
  real a(8)
  real, optional :: factor, shift(8)
  character(len=*), optional :: name
  integer, optional, intent(inout) :: count
  interface
    subroutine note(what, times)
      character(len=*), optional :: what
      integer, optional, intent(inout) :: times
    end subroutine
  end interface
  if (present(factor)) a = a * factor
  if (present(shift)) then
    where (shift > 2.0) a = a + shift
  end if
  if (.not. present(factor) .and. .not. present(shift)) a = -a
  call note(name, count)
end subroutine

subroutine note(what, times)
  character(len=*), optional :: what
  integer, optional, intent(inout) :: times
  if (present(times)) times = times + 1
  if (present(what)) print *, 'note ', what, len(what)
end subroutine

real function mean(x, mask)
  real x(8)
  logical, optional :: mask(8)
  if (present(mask)) then
    mean = maxval(x, mask=mask)
  else
    mean = maxval(x)
  end if
end function

real function applied(x, f)
  real x, f
  external f
  optional f
  applied = x
  if (present(f)) applied = f(x)
end function

real function third(x)
  third = x / 3
end function
