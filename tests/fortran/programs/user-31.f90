program r7
  implicit none
  integer a(2,3,2,2,2,2,2), b(2,2,2,2), c(3,2), i
  a = reshape((/ (i, i=1,192) /), (/ 2,3,2,2,2,2,2 /))
  print *, sum(a), a(2,3,2,2,2,2,1), maxloc(a), shape(a)
  a = cshift(a, dim=2, shift=1)
  a = cshift(a, dim=7, shift=1)
  b = a(:,2,:,1,2,:,:)
  print '(8i5)', b
  c = a(1,:,2,1,:,2,1)
  print *, c
  print '(12i5)', sum(sum(sum(a, 7), 3), 1)
  a(:,3:1:-1,1,:,:,:,:) = a(:,:,2,:,:,:,:)
  print '(12i5)', a(:,:,:,2,1,2,2)
  print *, minloc(a), count(a > 100, dim=2)
end
