program p
  integer a(4, 3), i
  real r(4)
  a = reshape([(i, i = 11, 22)], [4, 3])
  r = 1.5
  a = cshift(a, -1, 2) + cshift(a, 1, 1) + cshift(a, shift = 1, dim = 2)
  r = eoshift(r, 1, 2.5)
  print *, a, r
end program
