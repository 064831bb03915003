! The bounds of a FORALL are evaluated once, though its first assignment changes them (Fortran 95,
! 7.5.4.2); gfortran 12 evaluates them again for the second one.
program bounds
  integer, dimension(10) :: a, k
  k = 4
  a = 0
  forall (i = 1:k(2))
    k(i) = 7
    a(i) = k(i) + i
  end forall
  print *, k
  print *, a
end program
