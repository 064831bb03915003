print *, "hello"
end
