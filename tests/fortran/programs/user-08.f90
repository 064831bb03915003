program red
  implicit none
  integer, parameter :: n=5, m=7, l=3
  real a(n,m), c(n,m,l)
  integer ia(n,m), i, j, k
  logical q(n,m)
  forall (i=1:n,j=1:m) a(i,j) = mod(i*7+j*3, 11) - 4.5
  forall (i=1:n,j=1:m) ia(i,j) = mod(i*7+j*5, 13) - 6
  forall (i=1:n,j=1:m,k=1:l) c(i,j,k) = i - j*k
  q = ia > 0
  print *, sum(a), sum(a, mask=a>0), sum(a, a<0)
  print *, sum(a, dim=1)
  print *, sum(a, 2)
  print *, sum(a, dim=2, mask=a>0)
  print *, sum(ia, 1, q)
  print *, product(ia(1:2,1:3)), product(ia, 1)
  print *, maxval(a, 1), minval(a, 2), maxval(ia, 2, q)
  print *, maxloc(a), minloc(a), maxloc(ia, q), minloc(ia, mask=q)
  print *, count(q), count(q, 1), count(q, dim=2)
  print *, any(q, 1), all(q, 2), any(q), all(q)
  print *, sum(sum(c, 3), 1)
  print *, sum(c, 2)
  print *, maxval(c, mask=c < 2), maxloc(c)
  print *, sum(a, mask=.false.), maxval(ia, mask=ia>1000), minval(a, mask=a>1000)
  print *, maxloc(ia, mask=ia>1000)
  print *, sum(a, dim=1, mask=.true.)
  print *, dot_product(a(:,1), a(:,2)), dot_product(ia(1,:), ia(2,:)), dot_product(q(:,1), q(:,2))
end program
