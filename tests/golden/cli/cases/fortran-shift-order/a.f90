program p
  integer a(4, 3), v(4), i, k
  a = reshape([(i, i = 11, 22)], [4, 3])
  v = [1, 2, 3, 4]
  k = 2
  a = cshift(a, 1, 2)
  print *, a
  a = cshift(a, -1, 2) + cshift(a, 5, 1) + cshift(a, 2, 2) + cshift(a, shift = 1, dim = 2)
  a = cshift(a, k, 1)
  print *, a
  v = cshift(v, 1) + eoshift(v, 1) + eoshift(v, 1, boundary = 9)
  v = eoshift(v, 1, 0)
  print *, v
end program
