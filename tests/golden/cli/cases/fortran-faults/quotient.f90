! The statement stops at the division, at the first element of the divisor that is 0.
program quotient
  integer, dimension(6, 5) :: a, b
  a = 3
  b = a
  b(4, 2) = 0
  b(6, 2) = 0
  print *, 'before'
  a = a + b
  a = a + a / b
  print *, 'behind'
end program
