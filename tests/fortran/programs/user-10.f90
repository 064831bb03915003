program packs
  implicit none
  integer a(10), f(10), r(4,3), v(5), i, j
  logical m(10), mm(4,3)
  a = (/ (i*i - 20, i=1,10) /)
  m = mod(a, 3) == 0
  print *, m
  print *, pack(a, m)
  print *, pack(a, a > 0)
  print *, size(pack(a, a > 0))
  v = pack(a, m, (/ -1, -2, -3, -4, -5 /))
  print *, v
  f = unpack((/ 100,200,300,400,500,600,700,800,900,1000 /), m, a)
  print *, f
  f = unpack((/ 1,2,3,4,5,6,7,8,9,10 /), .not. m, 0)
  print *, f
  r = reshape(a, (/ 4, 3 /), pad=(/ -7, -8 /))
  print *, r
  r = reshape((/ (i, i=1,12) /), (/ 4,3 /), order=(/ 2, 1 /))
  do i=1,4
    print '(3i5)', r(i,:)
  end do
  mm = r > 5
  print *, pack(r, mm), pack(r, .true.)
  print *, unpack((/ 1,2,3,4,5,6,7 /), mm, r)
  print *, spread((/ 1,2,3 /), 1, 2), spread((/1,2,3/), 2, 2), spread(5, 1, 3)
  print *, spread(r, 2, 2)
  print *, merge(1, 0, m), merge(a, -a, a > 0), merge(3, 4, .false.)
  print *, reshape(r, (/ 2, 6 /))
  print *, reshape(r, (/ 2, 3, 2 /), order=(/ 3,1,2 /))
end program
