! Blanks in formats, quotes of list-directed output, long numbers, a REPLACE of a file that is open
program edges
  integer :: ios
  character(40) :: text, delim
  character(1) :: digit = '4'
  character(10) :: word
  double precision :: large = 1d300
  write (*, '(I 4, 2 X, F 8.3, B N)') 12, 3.5
  write (*, "(I" // digit // " , T 9, A)") 7, 'tab'
  write (*, '(5H a b  , 1 2X, A)') 'end'
  write (*, '(F600.200)') large
  open (10, file='quotes', delim='apostrophe')
  write (10, *) "it's", 'so'
  inquire (10, delim=delim)
  print *, trim(delim)
  rewind (10)
  read (10, '(A)') text
  print *, trim(text)
  close (10)
  open (11, file='data')
  write (11, *) 'kept'
  open (12, file='data', status='replace', iostat=ios)
  rewind (11)
  read (11, *) text
  print *, trim(text)
  word = 'no'
  write (*, '(A)', advance=word, iostat=ios) 'one'
  word = 'nonsense'
  write (*, '(A)', advance=word, iostat=ios) 'two'
  print *, ios /= 0
end program
