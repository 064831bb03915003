# Draws figure-11.svg of figure-11.dat: gnuplot figure-11.gp, in this folder.
set terminal svg size 760,500 font 'Helvetica,14' background '#ffffff'
set output 'figure-11.svg'
set title "Figure 11: PSHIFT, rank three, REAL*8, shifts by 1 and -1"
set xlabel 'subgrid length L (elements of each axis in a node)'
set ylabel 'CM time (ms)'
set logscale x 2
set grid lc rgb '#dddddd' lt 1 lw 0.5
set yrange [-2:35]
equation_2(x) = 0.0153571429 * x**0 + 0.0356534545 * x**2 + 0.00518470019 * x**3
all_powers(x) = 0.0541428571 * x**0 + -0.022625 * x**1 + 0.03890625 * x**2 + 0.00506026786 * x**3
set xrange [1.70:18.88]
set key top left Left reverse samplen 3
set samples 400
plot \
  equation_2(x) with lines lc rgb '#bbbbbb' lw 3 title 'equation 2 on the published points: a + b L^2 + c L^3', \
  all_powers(x) with lines lc rgb '#222222' dt 3 lw 1.5 title 'all powers, as in the paper: a + b L + c L^2 + d L^3', \
  'figure-11.dat' using 2:3 with points lc rgb '#1b5fa8' pt 7 ps 1 title 'published', \
  'figure-11.dat' using 2:4 with points lc rgb '#c2410c' pt 6 ps 1.6 lw 2 title 'simulated'
