! MAXVAL, MINVAL, MAXLOC and MINLOC of NaNs, infinities, and no elements at all.
program extremes
  integer, parameter :: n = 24, m = 6
  real a(n), b(m, 4), none(0)
  real*8 d(n), e(m, 4)
  logical mask(n), masks(m, 4)
  real big, nan
  integer i, k
  big = 3.0e38
  big = big * 10.0
  nan = big - big
  forall (i = 1:n) a(i) = mod(i * 7, 11) - 3.5
  do k = 1, 9
    select case (k)
    case (2)
      a(1) = nan
      a(n) = nan
    case (3)
      a(5:16) = nan
    case (4)
      a(2:n:2) = nan
    case (5)
      where (a > 0.0) a = nan
    case (6)
      a = nan
    case (7)
      a(7) = big
      a(9) = big
    case (8)
      a(7) = -big
    case (9)
      a = -big
      a(3) = nan
    end select
    d = a
    mask = mod([1:n], 3) == 1
    b = reshape(a, [m, 4])
    e = b
    masks = reshape(mask, [m, 4])
    masks(:, 3) = .false.
    masks(2, :) = .false.
    print *, 'case', k
    print *, maxval(a), minval(a), maxloc(a), minloc(a)
    print *, maxval(d), minval(d), maxloc(d), minloc(d)
    print *, maxval(a, mask=mask), minval(a, mask=mask), maxloc(a, mask=mask), minloc(a, mask=mask)
    print *, maxval(d, mask=mask), minval(d, mask=mask), maxloc(d, mask=mask), minloc(d, mask=mask)
    call fixed(maxval(b, dim=1), 4)
    call fixed(minval(b, dim=2), m)
    call fixed(maxval(b, dim=1, mask=masks), 4)
    call fixed(minval(b, dim=2, mask=masks), m)
    print *, maxval(e), minval(e), maxloc(e), minloc(e), maxloc(b), minloc(b)
    print *, maxloc(e, mask=masks), minloc(e, mask=masks), maxloc(b, mask=masks), minloc(b, mask=masks)
    print *, maxval(a(3:17:2)), minval(a(3:17:2)), maxval(a(4:3)), minval(a(4:3)), maxloc(a(4:3))
    mask = .false.
    print *, maxval(a, mask=mask), minval(d, mask=mask), maxloc(a, mask=mask), minloc(d, mask=mask)
    print *, maxval(none), minval(none), maxloc(none), minloc(none)
    call scalars(a, k)
  end do
end program

! By way of an array on the CM.
subroutine fixed(x, n)
  integer n
  real x(n), y(n)
  y = x
  print *, y
end subroutine

! The array is in the front end here.
subroutine scalars(a, k)
  real a(24), c(24)
  integer i, k
  do i = 1, 24
    c(i) = a(i)
  end do
  print *, k, c(1), c(24)
end subroutine
