C     ENTRY: arguments in another order, of other ranks, saved and local variables, alternate returns, arrays of the machine.
      PROGRAM ENTRIES
      REAL X(8), Y(8)
      CALL E1(2)
      CALL E2(3)
      CALL SETUP(2.5, X, 8)
      CALL GROW(X, 8)
      CALL GROW(X, 8)
      CALL SHOW
      PRINT *, X
      Y = 1.0
      CALL ADD(8, Y)
      PRINT *, SUM(Y)
      CALL WHICH(1, *10)
      PRINT *, 'back'
   10 CALL OTHER(*20, 5)
      PRINT *, 'not here'
   20 PRINT *, 'twenty'
      END
      SUBROUTINE E1(K)
      PRINT *, 'E1', K
      RETURN
      ENTRY E2(K)
      PRINT *, 'E2', K
      END
      SUBROUTINE SETUP(S, A, N)
      INTEGER N
      REAL A(N), S, B(8)
      SAVE T, M
      DATA M /0/
      T = S
      DO 10 I = 1, N
   10 A(I) = I
      RETURN
      ENTRY GROW(A, N)
      M = M + 1
      DO 20 I = 1, N
   20 A(I) = A(I) * T
      RETURN
      ENTRY SHOW
      PRINT *, T, M
      RETURN
      ENTRY ADD(N, B)
      B = B + T
      END
      SUBROUTINE WHICH(K, *)
      IF (K .EQ. 1) THEN
      PRINT *, 'which'
      END IF
      RETURN
      ENTRY OTHER(*, J)
      PRINT *, 'other', J
      RETURN 1
      END
