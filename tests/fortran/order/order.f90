! Sums, products and products of matrices in the machine's order of evaluation, so that gfortran gets
! the same last bits. The orders are those of docs/programs/collective.md and docs/programs/matmul.md: this module is
! written from these pages alone. embed.py writes the text between !each and !end each once for each
! type. The module cm200_machine, which write.c puts in front, has the number of nodes.
module cm200_order
  use cm200_machine
  implicit none
  integer, parameter :: cm200_news = 0, cm200_send = 1, cm200_serial = 2
  integer, parameter :: cm200_rank = 31
  ! A part of an array on the machine: first places from 0, counts and strides.
  type cm200_place
    integer :: rank = 0
    integer, dimension(cm200_rank) :: n = 1, order = 0, weight = 1, bits = 0, local = 1
    integer, dimension(cm200_rank) :: first = 0, count = 1, stride = 1
    logical :: dropped(cm200_rank) = .false.
  end type
!each
  interface cm200_sum
    module procedure cm200_sum_SUFFIX
  end interface
  interface cm200_product
    module procedure cm200_product_SUFFIX
  end interface
  interface cm200_sum_dim
    module procedure cm200_sum_dim_SUFFIX
  end interface
  interface cm200_product_dim
    module procedure cm200_product_dim_SUFFIX
  end interface
  interface cm200_matmul
    module procedure cm200_matmul_SUFFIX, cm200_matmul_row_SUFFIX, cm200_matmul_column_SUFFIX
  end interface
  interface cm200_matmul_host
    module procedure cm200_host_SUFFIX, cm200_host_row_SUFFIX, cm200_host_column_SUFFIX
  end interface
!end each
contains
  ! ---- placement ----

  ! Places an array of this shape. The bits of the node's address are dealt to the axes one by one.
  pure function cm200_all(n, order, weight) result(p)
    integer, intent(in) :: n(:), order(:), weight(:)
    type(cm200_place) :: p
    integer :: bit, axis, best
    p%rank = size(n)
    p%n(:p%rank) = n
    p%order(:p%rank) = order
    p%weight(:p%rank) = weight
    p%local(:p%rank) = n
    p%count(:p%rank) = n
    bit = 1
    do while (bit < cm200_nodes)
      best = 0
      do axis = 1, p%rank
        if (p%order(axis) == cm200_serial) cycle
        if (best == 0) then
          best = axis
        else if (cm200_before(p, axis, best)) then
          best = axis
        end if
      end do
      if (best == 0) exit
      p%bits(best) = p%bits(best) + 1
      p%local(best) = (p%n(best) + 2**p%bits(best) - 1) / 2**p%bits(best)
      bit = 2 * bit
    end do
  end function

  ! Even local lengths are cut first, then odd ones above 1, then lengths of 1. Of equal candidates the
  ! longest by weight is cut, and then the first.
  pure logical function cm200_before(p, a, b)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: a, b
    if (cm200_class(p%local(a)) /= cm200_class(p%local(b))) then
      cm200_before = cm200_class(p%local(a)) > cm200_class(p%local(b))
    else
      cm200_before = int(p%local(a), 8) * p%weight(b) > int(p%local(b), 8) * p%weight(a)
    end if
  end function

  pure integer function cm200_class(length)
    integer, intent(in) :: length
    cm200_class = merge(0, merge(2, 1, mod(length, 2) == 0), length == 1)
  end function

  ! Returns the layout of an array without a directive.
  pure function cm200_plain(n) result(p)
    integer, intent(in) :: n(:)
    type(cm200_place) :: p
    p = cm200_all(n, 0 * n, 0 * n + 1)
  end function

  ! A section has from, to and by for each dimension. A dropped dimension has by = 0.
  pure function cm200_part(whole, low, from, to, by) result(p)
    type(cm200_place), intent(in) :: whole
    integer, intent(in) :: low(:), from(:), to(:), by(:)
    type(cm200_place) :: p
    integer :: i
    p = whole
    do i = 1, p%rank
      p%first(i) = from(i) - low(i)
      p%dropped(i) = by(i) == 0
      p%stride(i) = merge(1, by(i), p%dropped(i))
      p%count(i) = max(0, (to(i) - from(i) + p%stride(i)) / p%stride(i))
    end do
  end function

  pure logical function cm200_is_whole(p)
    type(cm200_place), intent(in) :: p
    integer :: r
    r = p%rank
    cm200_is_whole = all(p%first(:r) == 0 .and. p%stride(:r) == 1 .and. p%count(:r) == p%n(:r) &
                         .and. .not. p%dropped(:r))
  end function

  ! Places an operand that is computed by itself: like the array of which it is the whole, or
  ! without a model.
  pure function cm200_operand(p) result(q)
    type(cm200_place), intent(in) :: p
    type(cm200_place) :: q
    if (cm200_is_whole(p)) then
      q = p
    else
      q = cm200_plain(pack(p%count(:p%rank), .not. p%dropped(:p%rank)))
    end if
  end function

  ! Places the value of a function: like the array that takes the value, or without a model.
  pure function cm200_wanted(p, n) result(q)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: n(:)
    type(cm200_place) :: q
    logical :: same
    same = cm200_is_whole(p) .and. p%rank == size(n)
    if (same) same = all(p%n(:p%rank) == n)
    if (same) then
      q = p
    else
      q = cm200_plain(n)
    end if
  end function

  ! Numbers the elements of the part, from 0, in Fortran order of the whole array.
  pure subroutine cm200_numbers(p, numbers)
    type(cm200_place), intent(in) :: p
    integer, intent(out) :: numbers(0:)
    integer :: e, i, rest, number, step
    do e = 0, size(numbers) - 1
      rest = e
      number = 0
      step = 1
      do i = 1, p%rank
        number = number + (p%first(i) + mod(rest, p%count(i)) * p%stride(i)) * step
        rest = rest / p%count(i)
        step = step * p%n(i)
      end do
      numbers(e) = number
    end do
  end subroutine

  ! Marks the elements of the whole array that count: the part, or its elements under the mask.
  pure subroutine cm200_counted(p, numbers, there, mask)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: numbers(0:)
    logical, intent(out) :: there(0:)
    logical, intent(in), optional :: mask(:)
    there = .false.
    if (.not. present(mask)) then
      there(numbers) = .true.
    else if (size(mask) == 1) then
      there(numbers) = mask(1)
    else
      there(numbers) = mask
    end if
  end subroutine
!each

  ! ---- reductions of TYPE ----

  pure TYPE function cm200_sum_SUFFIX(x, p, mask) result(value)
    TYPE, intent(in) :: x(:)
    type(cm200_place), intent(in) :: p
    logical, intent(in), optional :: mask(:)
    value = cm200_whole_SUFFIX(x, p, .false., mask)
  end function

  pure TYPE function cm200_product_SUFFIX(x, p, mask) result(value)
    TYPE, intent(in) :: x(:)
    type(cm200_place), intent(in) :: p
    logical, intent(in), optional :: mask(:)
    value = cm200_whole_SUFFIX(x, p, .true., mask)
  end function

  ! Folds in each node along the first axis, then the results along the second one, and so on. Then
  ! neighbouring blocks are joined in pairs, and pairs of pairs, from the first axis on.
  pure TYPE function cm200_whole_SUFFIX(x, p, multiply, mask) result(value)
    TYPE, intent(in) :: x(0:)
    type(cm200_place), intent(in) :: p
    logical, intent(in) :: multiply
    logical, intent(in), optional :: mask(:)
    TYPE, allocatable :: whole(:), block(:)
    logical, allocatable :: there(:)
    integer, allocatable :: numbers(:)
    integer :: elements, b
    elements = product(p%n(:p%rank))
    allocate (whole(0:elements - 1), there(0:elements - 1), numbers(0:size(x) - 1))
    allocate (block(0:2**sum(p%bits(:p%rank)) - 1))
    call cm200_numbers(p, numbers)
    call cm200_counted(p, numbers, there, mask)
    whole = 0
    whole(numbers) = x
    do b = 0, size(block) - 1
      block(b) = cm200_in_node_SUFFIX(whole, there, p, b, multiply)
    end do
    value = cm200_tree_SUFFIX(block, multiply)
  end function

  pure TYPE function cm200_in_node_SUFFIX(whole, there, p, b, multiply) result(value)
    TYPE, intent(in) :: whole(0:)
    logical, intent(in) :: there(0:), multiply
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: b
    TYPE :: sums(cm200_rank)
    integer :: at(cm200_rank), base(cm200_rank), i, rest, e, step
    logical :: inside
    rest = b
    do i = 1, p%rank
      base(i) = mod(rest, 2**p%bits(i)) * p%local(i)
      rest = rest / 2**p%bits(i)
    end do
    at = 0
    sums = merge(1, 0, multiply)
    do
      inside = .true.
      e = 0
      step = 1
      do i = 1, p%rank
        inside = inside .and. base(i) + at(i) < p%n(i)
        e = e + (base(i) + at(i)) * step
        step = step * p%n(i)
      end do
      if (inside) then
        if (there(e)) sums(1) = cm200_two_SUFFIX(sums(1), whole(e), multiply)
      end if
      do i = 1, p%rank
        at(i) = at(i) + 1
        if (at(i) < p%local(i)) exit
        at(i) = 0
        if (i == p%rank) then
          value = sums(i)
          return
        end if
        sums(i + 1) = cm200_two_SUFFIX(sums(i + 1), sums(i), multiply)
        sums(i) = merge(1, 0, multiply)
      end do
    end do
  end function

  pure TYPE function cm200_two_SUFFIX(a, b, multiply) result(value)
    TYPE, intent(in) :: a, b
    logical, intent(in) :: multiply
    if (multiply) then
      value = a * b
    else
      value = a + b
    end if
  end function

  pure TYPE function cm200_tree_SUFFIX(blocks, multiply) result(value)
    TYPE, intent(in) :: blocks(0:)
    logical, intent(in) :: multiply
    TYPE :: block(0:size(blocks) - 1)
    integer :: count, b
    count = size(blocks)
    block = blocks
    do while (count > 1)
      count = count / 2
      do b = 0, count - 1
        block(b) = cm200_two_SUFFIX(block(2 * b), block(2 * b + 1), multiply)
      end do
    end do
    value = block(0)
  end function

  pure function cm200_sum_dim_SUFFIX(x, p, dim, mask) result(value)
    TYPE, intent(in) :: x(:)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: dim
    logical, intent(in), optional :: mask(:)
    TYPE, allocatable :: value(:)
    value = cm200_columns_SUFFIX(x, p, dim, .false., mask)
  end function

  pure function cm200_product_dim_SUFFIX(x, p, dim, mask) result(value)
    TYPE, intent(in) :: x(:)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: dim
    logical, intent(in), optional :: mask(:)
    TYPE, allocatable :: value(:)
    value = cm200_columns_SUFFIX(x, p, dim, .true., mask)
  end function

  ! Reduces along one axis of a whole array: in each node, then in the tree over the axis's blocks.
  pure function cm200_columns_SUFFIX(x, p, dim, multiply, mask) result(value)
    TYPE, intent(in) :: x(0:)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: dim
    logical, intent(in) :: multiply
    logical, intent(in), optional :: mask(:)
    TYPE, allocatable :: value(:), block(:)
    logical :: there(0:size(x) - 1)
    integer :: inner, length, line, b, i, e
    there = .true.
    if (present(mask)) then
      if (size(mask) == 1) then
        there = mask(1)
      else
        there = mask
      end if
    end if
    length = p%n(dim)
    inner = product(p%n(:dim - 1))
    allocate (value(0:size(x) / length - 1), block(0:2**p%bits(dim) - 1))
    do line = 0, size(value) - 1
      block = merge(1, 0, multiply)
      do i = 0, length - 1
        e = mod(line, inner) + (line / inner * length + i) * inner
        b = i / p%local(dim)
        if (there(e)) block(b) = cm200_two_SUFFIX(block(b), x(e), multiply)
      end do
      value(line) = cm200_tree_SUFFIX(block, multiply)
    end do
  end function

  ! ---- products of matrices of TYPE ----

  ! In the front end, products are added one after the other.
  pure function cm200_host_SUFFIX(a, b) result(c)
    TYPE, intent(in) :: a(:, :), b(:, :)
    TYPE :: c(size(a, 1), size(b, 2))
    integer :: i, j, k
    c = 0
    do j = 1, size(b, 2)
      do i = 1, size(a, 1)
        do k = 1, size(a, 2)
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end function

  pure function cm200_host_row_SUFFIX(a, b) result(c)
    TYPE, intent(in) :: a(:), b(:, :)
    TYPE :: c(size(b, 2))
    c = reshape(cm200_host_SUFFIX(reshape(a, (/1, size(a)/)), b), (/size(b, 2)/))
  end function

  pure function cm200_host_column_SUFFIX(a, b) result(c)
    TYPE, intent(in) :: a(:, :), b(:)
    TYPE :: c(size(a, 1))
    c = reshape(cm200_host_SUFFIX(a, reshape(b, (/size(b), 1/))), (/size(a, 1)/))
  end function

  ! Multiplies on the nodes that hold the product, whose place is p.
  pure function cm200_matmul_SUFFIX(a, b, p) result(c)
    TYPE, intent(in) :: a(:, :), b(:, :)
    type(cm200_place), intent(in) :: p
    TYPE :: c(size(a, 1), size(b, 2))
    type(cm200_place) :: q
    integer :: i, j, k, step, groups, range, first
    q = cm200_wanted(p, shape(c))
    groups = cm200_groups(q, size(a, 2), WORDS)
    range = 2**maxval(q%bits(:2)) / groups * ((size(a, 2) + 2**maxval(q%bits(:2)) - 1) / &
                                              2**maxval(q%bits(:2)))
    c = 0
    do j = 1, size(c, 2)
      do i = 1, size(c, 1)
        first = mod(((i - 1) / q%local(1)) * groups / 2**q%bits(1) + &
                    ((j - 1) / q%local(2)) * groups / 2**q%bits(2), groups)
        do step = first, first + groups - 1
          do k = mod(step, groups) * range + 1, min((mod(step, groups) + 1) * range, size(a, 2))
            c(i, j) = cm200_chained_SUFFIX(a(i, k), b(k, j), c(i, j))
          end do
        end do
      end do
    end do
  end function

  ! Multiplies a row or a column: the products are reduced along the matrix's axis.
  pure function cm200_matmul_row_SUFFIX(a, b, p) result(c)
    TYPE, intent(in) :: a(:), b(:, :)
    type(cm200_place), intent(in) :: p
    TYPE :: c(size(b, 2))
    c = cm200_columns_SUFFIX(pack(b * spread(a, 2, size(b, 2)), .true.), p, 1, .false.)
  end function

  pure function cm200_matmul_column_SUFFIX(a, b, p) result(c)
    TYPE, intent(in) :: a(:, :), b(:)
    type(cm200_place), intent(in) :: p
    TYPE :: c(size(a, 1))
    c = cm200_columns_SUFFIX(pack(a * spread(b, 1, size(a, 1)), .true.), p, 2, .false.)
  end function
!end each

  ! ---- products of matrices: how many ranges an element takes in turn ----

  ! Returns min(P, Q) for Cannon's algorithm if it takes the fewest exchanges, and 1 otherwise.
  pure integer function cm200_groups(p, depth, words)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: depth, words
    integer(8) :: broadcast, cannon, alltoall, panels, block(2)
    integer :: chunks, chunk_depth, least, side
    chunks = 2**maxval(p%bits(:2))
    chunk_depth = (depth + chunks - 1) / chunks
    least = minval(p%bits(:2))
    broadcast = cm200_exchanges(p, chunk_depth, words, 0)
    cannon = cm200_exchanges(p, chunk_depth, words, least)
    alltoall = 0
    panels = 0
    do side = 1, 2
      block(side) = int(words, 8) * p%local(side) * chunk_depth * (chunks / 2**p%bits(3 - side))
      panels = panels + block(side) * 2**p%bits(3 - side)
      if (p%bits(3 - side) > 0) &
        alltoall = alltoall + (2**p%bits(3 - side) - 1) * &
                   cm200_up(block(side), int(cm200_channels * p%bits(3 - side), 8))
    end do
    cm200_groups = 1
    if (cannon >= broadcast) return
    if (panels <= cm200_memory_words / 4 .and. alltoall < cannon) return
    cm200_groups = 2**least
  end function

  ! Counts the broadcasts of all chunks in groups, and the shifts of all blocks between 2**bits groups.
  pure integer(8) function cm200_exchanges(p, chunk_depth, words, bits) result(exchanges)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: chunk_depth, words, bits
    integer(8) :: spread_most, units
    integer :: side, group, chunks, b
    chunks = 2**maxval(p%bits(:2))
    spread_most = 0
    do side = 1, 2
      group = p%bits(3 - side) - bits
      units = cm200_up(int(words, 8) * p%local(side) * chunk_depth, int(cm200_channels, 8))
      if (group > 0) spread_most = max(spread_most, units + group - 1)
    end do
    exchanges = chunks * spread_most
    do b = 0, bits - 1
      exchanges = exchanges + cm200_shift(p, chunk_depth, words, bits, b)
    end do
    if (bits > 0) &
      exchanges = exchanges + (2**bits - 1) * cm200_shift(p, chunk_depth, words, bits, 0)
  end function

  ! Counts the exchanges of a shift of both operands' blocks by 2**by groups, hop by hop.
  pure integer(8) function cm200_shift(p, chunk_depth, words, bits, by) result(exchanges)
    type(cm200_place), intent(in) :: p
    integer, intent(in) :: chunk_depth, words, bits, by
    integer(8) :: units(2)
    integer :: hops(2), side, nodes, along, hop, chunks
    chunks = 2**maxval(p%bits(:2))
    do side = 1, 2
      along = 3 - side
      nodes = p%bits(along) - bits + by
      if (p%order(along) == cm200_send) then
        hops(side) = p%bits(along) - nodes
      else
        hops(side) = merge(1, 2, nodes == 0)
      end if
      units(side) = cm200_up(int(words, 8) * p%local(side) * chunk_depth * &
                             (chunks / 2**p%bits(along)), int(cm200_channels, 8))
    end do
    exchanges = 0
    do hop = 1, maxval(hops)
      exchanges = exchanges + maxval(merge(units, 0_8, hop <= hops))
    end do
  end function

  pure integer(8) function cm200_up(a, b)
    integer(8), intent(in) :: a, b
    cm200_up = (a + b - 1) / b
  end function
!each real

  pure TYPE function cm200_chained_SUFFIX(a, b, c) result(value)
    TYPE, intent(in) :: a, b, c
    value = c + a * b
  end function
!end each
!each complex

  ! Four products are added one after the other.
  pure TYPE function cm200_chained_SUFFIX(a, b, c) result(value)
    TYPE, intent(in) :: a, b, c
    PART :: re, im
    re = real(c, kind(re)) + real(a, kind(re)) * real(b, kind(re))
    re = re - aimag(a) * aimag(b)
    im = aimag(c) + real(a, kind(re)) * aimag(b)
    im = im + aimag(a) * real(b, kind(re))
    value = cmplx(re, im, kind(re))
  end function
!end each
end module
