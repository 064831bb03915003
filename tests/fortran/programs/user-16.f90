program empt
integer, parameter :: n = 4
real a(n), e(0)
real*8 d(n)
integer k(n)
logical f(n)
a = 1; d = 1; k = 1; f = .false.
print *, maxval(a, f), minval(a, f)
print *, maxval(d, f), minval(d, f)
print *, maxval(k, f), minval(k, f)
print *, sum(a, f), product(a, f), maxloc(a, f), count(f), any(f), all(f)
print *, maxval(e), minval(e), sum(e), size(e)
print *, maxval(a(3:2)), maxloc(a(3:2))
end
