program zs
integer a(0:3, -2:2), z(5,0), i, j, v(0)
forall (i=0:3, j=-2:2) a(i,j) = i*10 + j
print *, maxloc(a), minloc(a(:, 0))
print *, lbound(a), ubound(a), lbound(a(:,:)), size(a(1:0,:))
a(1:0, :) = 5
a(3:0:-1, :) = a(0:3, 2:-2:-1)
print '(4i5)', a
print *, sum(z, 1), sum(z, 2), shape(z), sum(z)
v = v + 1
print *, v, size(v), sum(v*2), 'x'
print *, a((/0,3/), (/-2,2,0/))
a((/3,0/), -1) = (/77, 88/)
a((/1,2/), (/1,2/)) = transpose(reshape((/1,2,3,4/), (/2,2/)))
print '(4i5)', a
print *, a(3,:), a(:, 2:2)
print *, cshift(a(:, -1), 1, 1), pack(a, a < 0)
print *, matmul(z, transpose(z)) 
print *, size(matmul(transpose(z), z)), size(reshape(v, (/0, 3/)))
end
