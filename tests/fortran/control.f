C     Control in fixed form: labels, jumps, loops that share their ends.
      PROGRAM CONTRL
      INTEGER I, J, K, SUM
      INTEGER DO, IF, END
      REAL X
      SUM = 0
      DO 10 I = 1, 4
      DO 10 J = I, 8, 2
      IF (J .EQ. 5) GO TO 10
      SUM = SUM + 10*I + J
   10 CONTINUE
      PRINT *, 'SHARED', SUM
      DO 20 K = 10, 1, -3
   20 SUM = SUM - K
      PRINT *, 'DOWN', SUM, K
      DO 60 K = 1, 4
      GO TO (30, 40, 50), K
      PRINT *, 'NONE', K
      GOTO 60
   30 PRINT *, 'FIRST', K
      GOTO 60
   40 PRINT *, 'SECOND', K
      GO TO 60
   50 PRINT *, 'THIRD', K
   60 CONTINUE
      DO 100 K = -1, 1
      IF (K) 70, 80, 90
   70 PRINT *, 'NEGATIVE'
      GOTO 100
   80 PRINT *, 'ZERO'
      GOTO 100
   90 PRINT *, 'POSITIVE'
  100 CONTINUE
      X = 100.0
      DO WHILE (X .GT. 1.0)
        X = X / 3.0
      END DO
      PRINT *, 'WHILE', X
      OUTER: DO I = 1, 5
        DO J = 1, 5
          IF (I*J .EQ. 6) CYCLE OUTER
          IF (I*J .GT. 12) EXIT OUTER
        END DO
        PRINT *, 'OUTER', I
      END DO OUTER
      DO K = -3, 9, 3
        SELECT CASE (K)
        CASE (:-1)
          PRINT *, 'BELOW', K
        CASE (0, 5:7)
          PRINT *, 'MIDDLE', K
        CASE DEFAULT
          PRINT *, 'OTHER', K
        END SELECT
      END DO
      IF (SUM .GT. 1000) THEN
        PRINT *, 'LARGE'
      ELSE IF (SUM .LT. 0
     &         .OR. SUM .EQ. 7) THEN
        PRINT *, 'SMALL'
      ELSE
        PRINT *, 'A CONSTANT THAT IS LONGER THAN ITS LINE AND GOES ON IN
     & THE NEXT ONE'
      ENDIF
      DO = 1
      IF = DO + 1
      END = IF * 3
      PRINT 200, DO, IF, END, -2**2, 2**3**2, 7/2*2, -7/2
  200 FORMAT (1X, 'NAMES', 7I6)
      DO 300, I = 1, 2
        X = X + I
  300 END DO
      PRINT *, X .LT. 10.AND..TRUE., 1.EQ.2, 1.E0 + .5D0
      STOP
      END
