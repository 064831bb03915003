# Draws figure-08.svg of figure-08.dat: gnuplot figure-08.gp, in this folder.
set terminal svg size 760,500 font 'Helvetica,14' background '#ffffff'
set output 'figure-08.svg'
set title "Figure 8: speedup of PSHIFT over CSHIFT, REAL*8, shifts by 1 and -1"
set xlabel 'subgrid length L (elements of each axis in a node)'
set ylabel 'speedup by elapsed time'
set logscale x 2
set grid lc rgb '#dddddd' lt 1 lw 0.5
set yrange [0:5]
set xrange [1.6:20000]
set key top right samplen 3
plot \
  'figure-08.dat' index 0 using 2:3 with linespoints lc rgb '#1b5fa8' lw 1.5 ps 0.8 pt 7 title 'rank 1, published', \
  'figure-08.dat' index 0 using 2:4 with linespoints lc rgb '#1b5fa8' lw 1.5 ps 0.8 pt 6 dt 2 title 'rank 1, simulated', \
  'figure-08.dat' index 1 using 2:3 with linespoints lc rgb '#c2410c' lw 1.5 ps 0.8 pt 7 title 'rank 2, published', \
  'figure-08.dat' index 1 using 2:4 with linespoints lc rgb '#c2410c' lw 1.5 ps 0.8 pt 6 dt 2 title 'rank 2, simulated', \
  'figure-08.dat' index 2 using 2:3 with linespoints lc rgb '#15803d' lw 1.5 ps 0.8 pt 7 title 'rank 3, published', \
  'figure-08.dat' index 2 using 2:4 with linespoints lc rgb '#15803d' lw 1.5 ps 0.8 pt 6 dt 2 title 'rank 3, simulated', \
  'figure-08.dat' index 3 using 2:3 with linespoints lc rgb '#7e22ce' lw 1.5 ps 0.8 pt 7 title 'rank 4, published', \
  'figure-08.dat' index 3 using 2:4 with linespoints lc rgb '#7e22ce' lw 1.5 ps 0.8 pt 6 dt 2 title 'rank 4, simulated'
