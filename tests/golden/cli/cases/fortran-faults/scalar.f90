! A scalar divisor matters if the mask holds somewhere.
program scalar
  integer, dimension(8) :: a
  integer :: n
  a = 5
  n = 0
  where (a > 5) a = a / n
  print *, a
  where (a > 4) a = modulo(a, n)
end program
