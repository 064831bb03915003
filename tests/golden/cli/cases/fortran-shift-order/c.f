      INTEGER V(4), K
      V = [1:4]
      K = 1
      V = CSHIFT(V, 1) + EOSHIFT(V, K, 9, DIM=1) + EOSHIFT(V, DIM=1, 2)
      PRINT *, V
      END
