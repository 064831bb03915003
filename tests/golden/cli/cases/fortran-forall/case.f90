select case (i)
case (1, 5:7)
case (3)
case (:0)
case (6)
case (9:, 3)
case (20)
case (-4:-2)
end select
select case (j == 2)
case (.true.)
case (.true., .false.)
end select
select case ('a')
case ('a':'c')
case ('b ')
case ('x')
case ('x ')
end select
write (*, *, advance='no') 3
end
