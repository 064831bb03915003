C     Jumps of Fortran 66 and 77: ASSIGN and the assigned GO TO, alternate returns, arithmetic IF, PAUSE-free.
      PROGRAM JUMPS
      INTEGER I, K, L
      K = 0
      ASSIGN 10 TO L
      GO TO L
   20 PRINT *, 'not here'
   10 K = K + 1
      PRINT *, 'ten', K
      IF (K .EQ. 1) ASSIGN 30 TO L
      IF (K .EQ. 2) ASSIGN 40 TO L
      GO TO L, (10, 30, 40)
   30 PRINT *, 'thirty'
      GO TO 10
   40 CONTINUE
      DO 60 I = -1, 3
      CALL S(I, *51, *52)
      PRINT *, 'back', I
      GO TO 60
   51 PRINT *, 'first', I
      GO TO 60
   52 PRINT *, 'second', I
   60 CONTINUE
      CALL T(*70, K)
      PRINT *, 'not here'
   70 PRINT *, K
      DO 80 I = -1, 1
      IF (I) 71, 72, 73
   71 PRINT *, 'below'
      GO TO 80
   72 PRINT *, 'equal'
      GO TO 80
   73 PRINT *, 'above'
   80 CONTINUE
      END
      SUBROUTINE S(N, *, *)
      IF (N .EQ. 2) RETURN 2
      IF (N .LT. 0) RETURN
      RETURN N
      END
      SUBROUTINE T(*, J)
      J = 77
      RETURN 1
      END
