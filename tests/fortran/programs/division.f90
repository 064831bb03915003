! Divisions of integers whose divisor is 0 in elements that a mask leaves out, on the machine.
program division
  implicit none
  integer :: i, none
  integer, dimension(40) :: a, b, c, d
  integer, dimension(6, 5) :: m, n
  real, dimension(40) :: x
  logical, dimension(40) :: good
  forall (i = 1:40) a(i) = 7 * i - 100
  forall (i = 1:40) b(i) = mod(i, 4) - 1
  c = -1
  d = 4
  where (b /= 0) c = a / b
  print *, c
  where (b /= 0)
    c = mod(a, b) + modulo(a, b + 0)
  elsewhere
    c = a / (b + 3)
  end where
  print *, c
  good = b /= 0
  forall (i = 1:40, good(i)) d(i) = a(i) / b(i)
  print *, d
  print *, sum(a / b, mask=good), maxval(mod(a, b), mask=b /= 0)
  x = 2.5
  where (good) x = asin(real(b) / 4.0) + a / b
  print '(10F8.3)', x
  where (b /= 0)
    where (a / max(b, 1) > 3)
      c = 77
    elsewhere
      c = c + 1
    end where
  end where
  print *, c
  c(2:40:4) = 5
  where (b(2:40:4) /= 0) c(2:40:4) = a(1:10) / b(2:40:4)
  print *, c
  m = reshape(b(1:30), (/ 6, 5 /))
  n = reshape(a(1:30), (/ 6, 5 /))
  where (m > 0 .or. m < 0) n = n / m
  print *, n
  where (m == 2) n = n + sum(n(:, 2) / (m(:, 1) * m(:, 1) + 1))
  print *, n
  none = 0
  where (m > 100) n = n / none
  print *, n, sum(m) / (none + 3)
  a = 0
  a(3) = 1
  m = 50
  where (a == 1) b = 10 / a
  print *, b, m / 7
end program
