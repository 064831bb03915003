! In what a function of arrays takes: a mask of WHERE does not matter there.
program hidden
  integer, dimension(8) :: a, b
  a = 5
  b = 1
  b(7) = 0
  print *, sum(a / b, mask=b > 0)
  where (b > 0) a = cshift(a / b, 1, 1)
end program
