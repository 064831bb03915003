# Draws figure-09.svg of figure-09.dat: gnuplot figure-09.gp, in this folder.
set terminal svg size 760,500 font 'Helvetica,14' background '#ffffff'
set output 'figure-09.svg'
set title "Figure 9: PSHIFT, rank one, REAL*8, shifts by 1 and -1"
set xlabel 'subgrid length L (elements of each axis in a node)'
set ylabel 'CM time (ms)'
set logscale x 2
set grid lc rgb '#dddddd' lt 1 lw 0.5
set yrange [0.02:0.24]
equation_2(x) = 0.0280497512 * x**0 + 0.00135199005 * x**1
set xrange [3.40:151.04]
set key top left Left reverse samplen 3
set samples 400
plot \
  equation_2(x) with lines lc rgb '#bbbbbb' lw 3 title 'equation 2 on the published points: (a + b) + c L', \
  'figure-09.dat' using 2:3 with points lc rgb '#1b5fa8' pt 7 ps 1 title 'published', \
  'figure-09.dat' using 2:4 with points lc rgb '#c2410c' pt 6 ps 1.6 lw 2 title 'simulated'
