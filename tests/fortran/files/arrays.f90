! Arrays of the machine and of the front end, and sections of both, through files and internal files.
program arrays
  integer, parameter :: n = 8
  real :: a(n, n), b(n, n), v(n)
  integer :: k(n), i, j, ios
  double precision :: d(3)
  complex :: c(2)
  logical :: l(4), m(n)
  character(12) :: text(3), line
  a = 1.0
  forall (i = 1:n, j = 1:n) a(i, j) = i + 10 * j
  open (20, file='arrays.txt', status='replace', action='readwrite')
  write (20, '(8f8.2)') a
  write (20, *) a(2, :), a(:, 3)
  write (20, '(4(i3, ":", f6.1))') (i, a(i, i), i = 1, n)
  rewind (20)
  b = 0
  read (20, '(8f8.2)') b
  print *, all(a == b), sum(b)
  b = b + 1
  v = 0
  read (20, *) v(1:n:2), v(2:n:2)
  print '(8f7.2)', v
  read (20, *, iostat=ios) v(n:1:-1)
  print '(8f7.2)', v
  close (20)
  open (21, file='arrays.bin', form='unformatted', status='replace')
  write (21) a, k(1:0), b(1:3, 2)
  d = (/ 1d0, 2d0, 3d-300 /)
  c = (/ (1.0, 2.0), (3.0, 4.0) /)
  l = (/ .true., .false., .true., .true. /)
  write (21) d, c, l
  rewind 21
  a = 0
  read (21) a
  print *, sum(a), maxval(a)
  d = 0; c = 0; l = .false.
  read (21) d, c, l
  print *, d, c, l
  backspace (21)
  backspace (21)
  read (21) (v(i), i = 1, 3), v(4:n)
  print *, v
  close (21, status='delete')
  inquire (file='arrays.bin', exist=m(1))
  print *, m(1)
  ! values that later items depend on
  write (line, '(6i2)') 3, 5, 7, 2, 1, 8
  read (line, '(6i2)') j, (k(i), i = 1, j), k(8)
  print *, j, k(1:3), k(8)
  write (text, '(a, i3)') 'a', 1, 'b', 2, 'c', 3
  print *, text
  read (text(2:3), '(1x, i3)') k(1:2)
  print *, k(1:2)
  k = 0
  read (text, '(a1)') line(1:1), line(2:2), line(3:3)
  print *, line(1:3)
  write (line(4:), '(i4.4)') 42
  print *, line
  m = a(:, 1) > 14
  print *, m
end program
