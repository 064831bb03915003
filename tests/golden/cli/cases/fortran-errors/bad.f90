subroutine s(a, b
real a
if (a == 1) then
x = 1
elsif (a == 2) then
y = 'unclosed
z = 1 &
