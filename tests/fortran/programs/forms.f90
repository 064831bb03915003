! Output that goes on in a line, CASEs next to each other, a FORALL that changes what it reads.
program forms
  implicit none
  integer :: i, n
  integer, dimension(10) :: a, k
  character(len=3) :: word
  do i = 1, 3
    write (*, '(A, I2)', advance='no') ' step', i
  end do
  write (*, '(A)') '|'
  write (*, '(3I4)', advance='no') 1, 2
  print '(A)', ' and'
  k = 4
  a = 0
  n = 4
  forall (i = 1:n)
    k(i) = 7
    a(i) = k(i) + i
  end forall
  print *, k, a
  do i = -4, 9
    n = 0
    select case (i)
    case (:-3)
      n = 1
    case (-2, 0, 4:5)
      n = 2
    case (-1)
      n = 3
    case (7:6)
      n = 4
    case (8:)
      n = 5
    end select
    write (*, '(I3)', advance='no') n
  end do
  print '()'
  word = 'b'
  select case (word)
  case ('a', 'c':'d')
    print *, 'not b'
  case ('b')
    print *, 'b'
  end select
end program
