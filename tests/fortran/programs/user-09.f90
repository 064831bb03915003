program mats
  implicit none
  integer, parameter :: n=6, m=4, k=5
  real a(n,k), b(k,m), c(n,m), v(k), s
  integer ia(2,3), ib(3,2), i, j
  logical la(3,3), lb(3,3)
  forall (i=1:n,j=1:k) a(i,j) = i*0.5 - j
  forall (i=1:k,j=1:m) b(i,j) = mod(i*j,5)
  c = matmul(a, b)
  print '(6f9.3)', c
  v = (/ (1.0*i, i=1,k) /)
  print *, matmul(a, v)
  print *, matmul(v, b)
  print '(6f9.3)', transpose(c)
  ia = reshape((/ 1,2,3,4,5,6 /), (/ 2,3 /))
  ib = transpose(ia)
  print *, matmul(ia, ib)
  print *, ib
  la = reshape((/ .true., .false., .true., .true., .true., .false., .false., .false., .true. /), (/3,3/))
  lb = .not. la
  print *, matmul(la, lb)
  print *, matmul(transpose(a), a(:, 1:2))
  print *, matmul(a(1:5:2, :), b(:, 4:1:-1))
  s = sum(matmul(a,b) * c)
  print *, s
end program
