! CHARACTER variables: declaration, assignment, parts, concatenation, comparison, functions.
program characters
  implicit none
  character :: one
  character(len=8) :: name, other = 'beta'
  character*3 short, shorter*2
  character(len=*), parameter :: title = 'A title' // ' of two parts'
  character(5), parameter :: cut = 'abcdefgh', filled = 'xy'
  character(20) text
  character first*4
  integer, dimension(4) :: a
  integer :: i, n
  logical :: same
  data short, shorter /'DATA', 'D'/
  print *, short, '|', shorter, '|', other, '|', title, '|', cut, '|', filled, '|'
  first(2:3) = 'xyz' ! its first use names a part
  print *, first(2:3)
  one = 'xyz'
  name = 'gamma'
  print *, one, '[', name, ']', len(name), len_trim(name), len(title), len_trim('  ')
  name(2:3) = 'AM'
  name(6:) = 'abcdefg'
  print *, name, ' ', name(:3), name(4:4), name(7:6), '|', title(3:7)
  text = trim(other) // '-' // name(1:2) // short
  print *, '[', text, ']', '[' // trim(text) // ']'
  text(3:8) = text(1:6)
  print *, text
  print *, index(text, 'be'), index(text, 'be', .true.), index(text, 'zz'), index(text, '')
  print *, scan('hello', 'lo'), scan('hello', 'lo', back=.true.), verify('aab', 'a'), verify('aaa', 'a')
  print *, adjustl('  left '), '|', adjustr('right  '), '|', repeat('ab', 3), repeat('ab', 0), '|'
  print *, lgt('b', 'a '), lge('a', 'a '), llt(name, 'A'), lle('ab', name), lgt('Z', 'a')
  print *, ichar('A'), iachar(name(1:1)), char(66), achar(67)
  same = short == 'DAT'
  print *, same, 'abc' < 'abd', 'abc' == 'abc  ', 'b' > 'abc', short /= other, 'a ' <= 'a', name >= 'h'
  if (other == 'beta') print *, 'equal'
  do i = 1, 5
    text = ' '
    text(i:i) = char(ichar('a') + i)
    write (*, '(A, I3, 2A)') text(1:6), i, '|', trim(text)
  end do
  select case (trim(other))
  case ('alpha')
    print *, 'alpha'
  case ('b':'c')
    print *, 'between'
  case default
    print *, 'other'
  end select
  call change(name, short, 'constant', n)
  print *, name, short, n
  call change(text(2:9), other(1:3), name // '!', n)
  print *, '[', text, '] [', other, ']', n
  call swap(name, other)
  print *, name, other
  call count_calls
  call count_calls
  a = len_trim(text)
  if (name == other) a = 0
  a = ishftc(a, len_trim(other), ichar('!') - 15)
  print '(4I4, 1X, A, A3, A8, A2)', a + merge(1, 2, one == 'x'), one, short, short, (title)
  call shared
end program

subroutine change(a, b, c, n)
  implicit none
  character(len=*) :: a, b
  character*(*), intent(in) :: c
  character(len=4) :: local
  integer :: n
  local = c
  print *, '<', a, '> <', b, '> <', c, '> <', local, '>'
  a = c
  b = local(2:)
  n = len(a) + 100 * len(c) + 10000 * index(c, 'n')
end subroutine

subroutine swap(a, b)
  character(len=8) :: a, b, keep
  keep = a
  a = b
  b = keep
end subroutine

subroutine count_calls
  character(len=4), save :: digits = '0'
  digits = char(ichar(digits(1:1)) + 1) // digits
  print *, digits
end subroutine

subroutine shared
  character(len=6) :: word
  common /words/ word
  word = 'common'
  call reader
end subroutine

subroutine reader
  character(len=6) :: same
  common /words/ same
  print *, same(2:4)
end subroutine
