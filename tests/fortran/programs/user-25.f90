program big
  implicit none
  integer, parameter :: n = 257
  real a(n, 3, 5), b(5, n), c(3)
  integer i, j, k, ia(n)
  forall (i=1:n, j=1:3, k=1:5) a(i,j,k) = mod(i*j + k, 17)
  b = transpose(a(:, 2, :))
  print '(10f5.0)', b(:, 1:4)
  print *, sum(a), maxval(b), maxloc(a)
  c = sum(sum(a, 1), 2)
  print *, c
  a = cshift(a, dim=1, shift=100)
  print '(10f5.0)', a(1:10, 1, 1)
  a = cshift(a, dim=3, shift=-7)
  a(:, 3:1:-1, :) = eoshift(a, dim=1, shift=-3, boundary=-1.0)
  print '(10f5.0)', a(1:5, :, 2)
  ia = a(:, 1, 1)
  print *, sum(ia), sum(ia(1:n:7)), sum(ia(n:1:-9)), count(ia == -1)
  ia(1:n:2) = ia(n:1:-2) * 2
  print '(20i4)', ia
  b = spread(ia, 1, 5)
  print *, sum(b), sum(b, 2)
  print *, all(b(1,:) == b(5,:)), product(real(mod(ia(1:20),3)+1))
  b = reshape(a(:, 1, :), (/ 5, n /))
  print '(10f5.0)', b(:, 50:55)
  b = reshape(b, (/ 5, n /), order=(/ 2, 1 /))
  print '(10f5.0)', b(:, 50:55)
end
