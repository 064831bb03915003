program recur
  implicit none
  integer fact, fib
  real a(16)
  integer i
  print *, fact(10), fib(15)
  a = (/ (mod(i*37, 101)*1.0, i=1,16) /)
  call qs(a, 1, 16)
  print '(8f7.1)', a
end program
recursive integer function fact(n) result(r)
  integer n
  if (n <= 1) then
    r = 1
  else
    r = n * fact(n-1)
  end if
end function
recursive function fib(n) result(r)
  integer n, r
  if (n < 2) then
    r = n
    return
  end if
  r = fib(n-1) + fib(n-2)
end function
recursive subroutine qs(a, lo, hi)
  integer lo, hi, i, j
  real a(16), p, t
  if (lo >= hi) return
  p = a((lo+hi)/2)
  i = lo
  j = hi
  do while (i <= j)
    do while (a(i) < p)
      i = i + 1
    end do
    do while (a(j) > p)
      j = j - 1
    end do
    if (i <= j) then
      t = a(i); a(i) = a(j); a(j) = t
      i = i + 1; j = j - 1
    end if
  end do
  call qs(a, lo, j)
  call qs(a, i, hi)
end subroutine
