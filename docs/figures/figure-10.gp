# Draws figure-10.svg of figure-10.dat: gnuplot figure-10.gp, in this folder.
set terminal svg size 760,500 font 'Helvetica,14' background '#ffffff'
set output 'figure-10.svg'
set title "Figure 10: PSHIFT, rank two, REAL*8, shifts by 1 and -1"
set xlabel 'subgrid length L (elements of each axis in a node)'
set ylabel 'CM time (ms)'
set logscale x 2
set grid lc rgb '#dddddd' lt 1 lw 0.5
set yrange [-10:75]
equation_2(x) = -0.394224044 * x**0 + 0.0713871942 * x**1 + 0.00356844996 * x**2
set xrange [1.70:151.04]
set key top left Left reverse samplen 3
set samples 400
plot \
  equation_2(x) with lines lc rgb '#bbbbbb' lw 3 title 'equation 2 on the published points: a + b L + c L^2', \
  'figure-10.dat' using 2:3 with points lc rgb '#1b5fa8' pt 7 ps 1 title 'published', \
  'figure-10.dat' using 2:4 with points lc rgb '#c2410c' pt 6 ps 1.6 lw 2 title 'simulated'
