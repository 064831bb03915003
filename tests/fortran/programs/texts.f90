! Arrays of CHARACTER: elements, parts of elements, whole arrays in PRINT and as targets, DATA, COMMON, arguments.
program texts
  character(len=6) names(4), table(2, 0:2), short(2)*3
  character*4 label(3)
  common /labels/ label
  character line*24
  integer i, j
  data names /'alpha', 2*'be', 'gamma-ray'/, short(2) /'xyz'/
  data (table(1, j), j = 0, 2) /3*'row'/
  print *, names
  print '(4(a, "|"))', names
  names(2) = names(1)(3:5) // '!'
  names(3)(2:4) = 'ZZZZZ'
  print '(a, "/", i3)', (names(i), len(names(i)), i = 1, 4)
  short(1) = 'abcdef'
  print *, short, ' ', short(2)(2:2)
  do j = 0, 2
    table(2, j) = char(ichar('a') + j)
    do i = 1, 2
      if (table(i, j) == 'b') print *, 'found', i, j
    end do
  end do
  print '(6a8)', table
  label = 'same'
  call change(names(4), label(2)(1:2))
  print *, names(4), label
  line = ' '
  do i = 1, 4
    line(6 * i - 5:6 * i) = adjustr(names(i))
  end do
  print *, line, index(line, 'ZZ'), len_trim(names(2))
  select case (names(1))
  case ('alpha')
    print *, 'first'
  end select
end program

subroutine change(text, part)
  character(len=*) text, part
  character(len=3) own(3)
  character*4 label(3)
  common /labels/ label
  own = text
  own(2)(1:1) = '-'
  text = own(1) // own(2)
  part = '12'
  label(3) = label(2)(2:3) // 'q'
end subroutine
