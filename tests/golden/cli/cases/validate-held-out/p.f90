integer, parameter :: n = 16
real a(n)
a = 1.0
a = a + cshift(a, dim=1, shift=1)
end
