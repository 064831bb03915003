C     What programs of 1966 to 1990 have and the standards have not: constants in other bases, Hollerith, PARAMETER
C     without parentheses, D lines, signs behind operators, .XOR., TYPE.
      PROGRAM LEFT
      PARAMETER N=5, X0=2.5
      LOGICAL P, Q
      INTEGER K, L(4), M, H, G(2)
      REAL R, A(N)
      DOUBLE PRECISION DH
      CHARACTER*4 C
      DATA K /Z'FF'/, L /O'17', B'101', 'FF'X, '17'O/, R /Z'3F800000'/
      DATA H /4HABCD/, DH /8HHELLO WO/, C /4HTEXT/, G /2*3Hx'y/
D     PRINT *, 'a debug line'
d 10  print *, 'another'
      P = .TRUE.
      Q = .FALSE.
      PRINT *, P .XOR. Q, P .XOR. P, P .AND. Q .XOR. P
      PRINT *, K, L, R, N, X0
      B = 3.0
      D = 2.0 * -B
      E = 2.0 ** -1 * 4
      F = B + -D * 2
      PRINT *, D, E, F, B / -D, -B ** 2, B * (-D), B - -D ** 2
      WRITE (*, '(1X, A4, 1X, A, 1X, A8, 1X, A)') H, H, DH, C
      WRITE (*, '(1X, 2A4, A2)') G, H
      M = Z'7FFFFFFF'
      PRINT *, M
      M = Z'FFFFFFFF'
      PRINT *, M
      READ (5, '(A4, A2)') H, G(1)
      WRITE (6, '(1X, A4, I12, A4)') H, H, G(1)
      WRITE (6, 100) -1, 255, 8, 0
  100 FORMAT (1X, Z8, O12, B9, I4.0, 1H|, 3Hend)
      TYPE *, 'typed', K
      WRITE (*, '(1X, A4)') 4HABCD
      WRITE (*, 200)4HWXYZ
  200 FORMAT (1X, A4)
      A = 1.5
      PRINT *, SUM(A)
      END
