C     Units of Fortran 77: labels of conditions, units that no OPEN names, the standard input, direct access.
      PROGRAM UNITS
      INTEGER K, N, IOS, L(4)
      REAL X
      CHARACTER*20 NAME, FMT*30, WORD
      LOGICAL THERE, OPEN
      NAMELIST /SIZES/ N, X, L
      READ (5, *) N, X
      PRINT *, N, X
      READ (*, '(A)') WORD
      PRINT *, WORD
      READ *, L
      PRINT *, L
      READ (5, SIZES)
      PRINT *, N, X, L
      WRITE (30, 100) 1, 2.5, 'abc'
      WRITE (30, 100) 2, 3.5, 'def'
  100 FORMAT (I4, F8.3, 1X, A)
      REWIND 30
      K = 0
   10 READ (30, 100, END=20, ERR=30) N, X, WORD
      K = K + 1
      PRINT *, N, X, WORD
      GO TO 10
   20 PRINT *, 'end after', K
      GO TO 40
   30 PRINT *, 'error'
   40 BACKSPACE 30
      BACKSPACE 30
      READ (30, '(I4)') N
      PRINT *, N
      ENDFILE 30
      REWIND 30
      N = 0
   50 READ (30, '(I4)', IOSTAT=IOS) N
      IF (IOS .EQ. 0) GOTO 50
      PRINT *, N, IOS
      CLOSE (30, STATUS='DELETE')
      OPEN (UNIT=31, FILE='units.dir', ACCESS='DIRECT', RECL=16,
     &  FORM='UNFORMATTED', STATUS='UNKNOWN')
      DO 60 K = 10, 1, -1
   60 WRITE (31, REC=K) K, REAL(K) / 4, 'rec' // CHAR(64 + K)
      READ (31, REC=7) N, X, WORD(1:4)
      PRINT *, N, X, WORD(1:4)
      INQUIRE (31, NAME=NAME, RECL=N, NEXTREC=K, OPENED=OPEN)
      PRINT *, NAME, N, K, OPEN
      CLOSE (31)
      OPEN (32, FILE='units.dir', STATUS='OLD', ACCESS='DIRECT',
     &  RECL=16)
      READ (32, REC=2) N, X
      PRINT *, N, X
      READ (32, REC=99, ERR=70) N
      PRINT *, 'not here'
   70 CLOSE (32, STATUS='DELETE')
      INQUIRE (FILE='units.dir', EXIST=THERE)
      PRINT *, THERE
      FMT = '(1X, 3I5, A)'
      WRITE (6, FMT) 1, 2, 3, ' in a variable'
      WRITE (FMT, 110) 7
  110 FORMAT ('(I', I1, ')')
      PRINT FMT, 12345
      OPEN (33, STATUS='SCRATCH', BLANK='ZERO')
      WRITE (33, '(A)') '1 2 3 4', '  12', '1,2,'
      REWIND (33)
      READ (33, '(I4, BN, I3)') N, K
      PRINT *, N, K
      READ (33, '(BN, I4)') N
      PRINT *, N
      READ (33, '(2I5)') N, K
      PRINT *, N, K
      WRITE (0, *) 'to the standard error output'
      READ (5, *, IOSTAT=IOS) N
      PRINT *, IOS
      CLOSE (33)
      END
