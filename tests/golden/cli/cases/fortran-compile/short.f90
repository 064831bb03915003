x = cshift(a, 1)
y = eoshift(a, 1, 0.5, 2)
end
