! Characters that a text does not have.
program part
  character(len=6) :: text
  integer :: i
  text = 'abc'
  do i = 1, 9
    print *, text(i:i)
  end do
end program
