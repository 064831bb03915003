! Elementwise functions as the machine's IMPs compute them (docs/programs/elementwise.md, "Routines"): in
! 64 bits, each operation rounded. `single` is true if argument and result have 32 bits. The
! coefficients are those that programs/elementwise/coefficients.py prints, in decimal. The order of
! the operations follows programs/elementwise/lower_*.c, since that page does not give it.
module cm200_functions
  implicit none
  real(8), parameter :: cm200_c_exp32(6) = (/ &
    0.500000001346581d0, 0.16666666681623232d0, 0.041666464925285904d0, 0.0083333109254809d0, &
    0.0013933649996309251d0, 0.00019890990824673654d0/)
  real(8), parameter :: cm200_c_exp64(11) = (/ &
    0.5d0, 0.1666666666666667d0, 0.04166666666666667d0, 0.008333333333326136d0, &
    0.0013888888888883748d0, 0.00019841269874820627d0, 2.4801587325547743d-05, &
    2.7557255400206422d-06, 2.75572736431103d-07, 2.5105217004720745d-08, &
    2.0914686968086876d-09/)
  real(8), parameter :: cm200_c_log32(4) = (/ &
    0.6666666655404201d0, 0.4000012221181065d0, 0.28550778633191964d0, 0.23331614471843498d0/)
  real(8), parameter :: cm200_c_log64(7) = (/ &
    0.666666666666667d0, 0.3999999999989889d0, 0.28571428626253836d0, 0.22222211089379496d0, &
    0.1818289243253687d0, 0.15331611722055008d0, 0.14617807153417325d0/)
  real(8), parameter :: cm200_c_sin32(4) = (/ &
    -0.16666666663854168d0, 0.008333331874273714d0, -0.000198400864995936d0, &
    2.7249895230611676d-06/)
  real(8), parameter :: cm200_c_sin64(7) = (/ &
    -0.16666666666666666d0, 0.008333333333333331d0, -0.00019841269841265063d0, &
    2.7557319219337312d-06, -2.5052106231802837d-08, 1.6058531516797758d-10, &
    -7.586691094197958d-13/)
  real(8), parameter :: cm200_c_cos32(4) = (/ &
    0.041666666664320264d0, -0.0013888887671652504d0, 2.480060018036381d-05, &
    -2.7300933687212943d-07/)
  real(8), parameter :: cm200_c_cos64(7) = (/ &
    0.041666666666666664d0, -0.0013888888888888887d0, 2.4801587301584645d-05, &
    -2.755731922140179d-07, 2.0876755790721963d-09, -1.1470460830795304d-11, &
    4.7458685530816656d-14/)
  real(8), parameter :: cm200_c_atan32(6) = (/ &
    -0.33333333233831486d0, 0.19999962483847505d0, -0.14283400018636427d0, &
    0.11058227545536063d0, -0.08532127449401608d0, 0.04822303116353981d0/)
  real(8), parameter :: cm200_c_atan64(12) = (/ &
    -0.3333333333333333d0, 0.1999999999999941d0, -0.14285714285566806d0, 0.11111111096645038d0, &
    -0.09090908355602592d0, 0.07692285554889286d0, -0.06666241923359964d0, &
    0.05876946456755061d0, -0.05216679739313656d0, 0.04492259293193656d0, &
    -0.033128134256069586d0, 0.014773184616983806d0/)
  real(8), parameter :: cm200_c_log_rest64(7) = (/ &
    0.4000000000000003d0, 0.2857142857133801d0, 0.22222222271326808d0, 0.18181808210921882d0, &
    0.15385577463308145d0, 0.13285868837545742d0, 0.1291471218393509d0/)
  real(8), parameter :: cm200_c_sinh64(8) = (/ &
    0.16666666666666666d0, 0.008333333333333333d0, 0.00019841269841269773d0, &
    2.7557319224040365d-06, 2.5052108364049466d-08, 1.6059048397722392d-10, &
    7.646625253572627d-13, 2.8445297426378895d-15/)
  real(8), parameter :: cm200_c_tanh64(11) = (/ &
    -0.3333333333333333d0, 0.13333333333332714d0, -0.05396825396743174d0, 0.021869488493563037d0, &
    -0.008863234395418095d0, 0.003592110347096177d0, -0.0014556615775702365d0, &
    0.0005889348072447028d0, -0.00023463104528300406d0, 8.510707927354112d-05, &
    -2.0598556673275166d-05/)
  real(8), parameter :: cm200_c_asin32(6) = (/ &
    0.1666666633654049d0, 0.07500094761172901d0, 0.04459931916287114d0, 0.031101727829067168d0, &
    0.017143716819253568d0, 0.03370072632136513d0/)
  real(8), parameter :: cm200_c_asin64(13) = (/ &
    0.16666666666666669d0, 0.07499999999998425d0, 0.04464285714637338d0, 0.030381944137085216d0, &
    0.022372173002005596d0, 0.017352391265909227d0, 0.013971235301124539d0, &
    0.011478952690257387d0, 0.010324318288744113d0, 0.00545087818772055d0, &
    0.017419357964884856d0, -0.014881409392818066d0, 0.02877844261259304d0/)
  real(8), parameter :: cm200_c_ln2_high = 0.6931471803691238d0
  real(8), parameter :: cm200_c_ln2_low = 1.9082149292705877d-10
  real(8), parameter :: cm200_c_by_ln2 = 1.4426950408889634d0
  real(8), parameter :: cm200_c_two_thirds = 0.6666666666666666d0
  real(8), parameter :: cm200_c_two_thirds_low = 3.700743415417188d-17
  real(8), parameter :: cm200_c_half_pi_1 = 1.5707963267341256d0
  real(8), parameter :: cm200_c_half_pi_2 = 6.077100506303966d-11
  real(8), parameter :: cm200_c_half_pi_3 = 2.0222662487959506d-21
  real(8), parameter :: cm200_c_by_half_pi = 0.6366197723675814d0
  real(8), parameter :: cm200_c_pi = 3.141592653589793d0
  real(8), parameter :: cm200_c_pi_low = 1.2246467991473532d-16
  real(8), parameter :: cm200_c_tiny = 7.450580596923828d-09
  real(8), parameter :: cm200_c_round = 6755399441055744.0d0
  real(8), parameter :: cm200_c_atan_half = 0.4636476090008061d0
  real(8), parameter :: cm200_c_atan_half_low = 2.2698777452961687d-17
  real(8), parameter :: cm200_c_atan_more = 0.982793723247329d0
  real(8), parameter :: cm200_c_atan_more_low = 1.3903311031230998d-17
  real(8), parameter :: cm200_c_by_ln10_high = 0.434294480830431d0
  real(8), parameter :: cm200_c_by_ln10_low = 1.0728208431540585d-09
  real(8), parameter :: cm200_c_lg2_high = 0.3010299955494702d0
  real(8), parameter :: cm200_c_lg2_low = 1.1451100898021838d-10
!each real
  interface cm200_exp
    module procedure cm200_exp_SUFFIX
  end interface
  interface cm200_log
    module procedure cm200_log_SUFFIX
  end interface
  interface cm200_sin
    module procedure cm200_sin_SUFFIX
  end interface
  interface cm200_cos
    module procedure cm200_cos_SUFFIX
  end interface
  interface cm200_tan
    module procedure cm200_tan_SUFFIX
  end interface
  interface cm200_atan
    module procedure cm200_atan_SUFFIX
  end interface
  interface cm200_atan2
    module procedure cm200_atan2_SUFFIX
  end interface
  interface cm200_log10
    module procedure cm200_log10_SUFFIX
  end interface
  interface cm200_sinh
    module procedure cm200_sinh_SUFFIX
  end interface
  interface cm200_cosh
    module procedure cm200_cosh_SUFFIX
  end interface
  interface cm200_tanh
    module procedure cm200_tanh_SUFFIX
  end interface
  interface cm200_asin
    module procedure cm200_asin_SUFFIX
  end interface
  interface cm200_acos
    module procedure cm200_acos_SUFFIX
  end interface
  interface cm200_power
    module procedure cm200_power_SUFFIX
  end interface
  interface cm200_abs
    module procedure cm200_abs_SUFFIX
  end interface
  interface cm200_sqrt
    module procedure cm200_sqrt_SUFFIX
  end interface
!end each
  interface cm200_power
    module procedure cm200_power_84, cm200_power_48
  end interface
contains
!each real
  elemental TYPE function cm200_exp_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_exponential(kind(x) == 4, cm200_bounded(kind(x) == 4, real(x, 8)), 0d0), kind(y))
  end function

  elemental TYPE function cm200_log_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_logarithm(kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_sin_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_circular(1, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_cos_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_circular(2, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_tan_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_circular(3, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_atan_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    real(8) :: wide
    wide = real(x, 8)
    if (abs(wide) < cm200_c_tiny) then
      y = x
    else
      y = real(sign(cm200_arctangent(kind(x) == 4, abs(wide)), wide), kind(y))
    end if
  end function

  elemental TYPE function cm200_atan2_SUFFIX(y, x) result(angle)
    TYPE, intent(in) :: y, x
    angle = real(cm200_quadrant(kind(x) == 4, real(y, 8), real(x, 8)), kind(x))
  end function

  elemental TYPE function cm200_log10_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_logarithm10(kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_sinh_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_hyperbolic(1, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_cosh_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_hyperbolic(2, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_tanh_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_hyperbolic(3, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_asin_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_arc(1, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_acos_SUFFIX(x) result(y)
    TYPE, intent(in) :: x
    y = real(cm200_arc(2, kind(x) == 4, real(x, 8)), kind(y))
  end function

  elemental TYPE function cm200_power_SUFFIX(x, y) result(power)
    TYPE, intent(in) :: x, y
    power = real(cm200_raised(kind(x) == 4, real(x, 8), real(y, 8)), kind(x))
  end function

  elemental TYPE function cm200_abs_SUFFIX(x) result(y)
    COMPLEX, intent(in) :: x
    y = real(cm200_magnitude(kind(y) == 4, real(real(x), 8), real(aimag(x), 8)), kind(y))
  end function

  elemental COMPLEX function cm200_sqrt_SUFFIX(x) result(y)
    COMPLEX, intent(in) :: x
    complex(8) :: root
    root = cm200_root(kind(x) == 4, real(real(x), 8), real(aimag(x), 8))
    y = cmplx(real(root, kind(x)), real(aimag(root), kind(x)), kind(x))
  end function

!end each
  elemental real(8) function cm200_power_84(x, y) result(power)
    real(8), intent(in) :: x
    real(4), intent(in) :: y
    power = cm200_raised(.false., x, real(y, 8))
  end function

  elemental real(8) function cm200_power_48(x, y) result(power)
    real(4), intent(in) :: x
    real(8), intent(in) :: y
    power = cm200_raised(.false., real(x, 8), y)
  end function

  pure real(8) function cm200_polynomial(c, z) result(value)
    real(8), intent(in) :: c(:), z
    integer :: i
    value = c(size(c))
    do i = size(c) - 1, 1, -1
      value = value * z + c(i)
    end do
  end function

  ! The two words of a number, as unsigned numbers in 64 bits.
  pure integer(8) function cm200_high(x)
    real(8), intent(in) :: x
    cm200_high = iand(ishft(transfer(x, 0_8), -32), 4294967295_8)
  end function

  pure integer(8) function cm200_low(x)
    real(8), intent(in) :: x
    cm200_low = iand(transfer(x, 0_8), 4294967295_8)
  end function

  pure real(8) function cm200_joined(low, high)
    integer(8), intent(in) :: low, high
    cm200_joined = transfer(ior(ishft(high, 32), low), 0d0)
  end function

  ! The low word of a number as a signed integer.
  pure integer(8) function cm200_signed(x)
    real(8), intent(in) :: x
    cm200_signed = cm200_low(x)
    if (cm200_signed >= 2147483648_8) cm200_signed = cm200_signed - 4294967296_8
  end function

  pure real(8) function cm200_two_to(n)
    integer(8), intent(in) :: n
    cm200_two_to = cm200_joined(0_8, ishft(iand(n + 1023, 4095_8), 20))
  end function

  pure real(8) function cm200_bounded(single, x)
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: most
    most = merge(150d0, 750d0, single)
    cm200_bounded = x
    if (most < x) cm200_bounded = most
    if (-most > x) cm200_bounded = -most
  end function

  ! Computes e**(x + low). x is n ln 2 + r, e**r is 1 + (r + r**2 P(r)), and 2**n is multiplied in
  ! two steps.
  pure real(8) function cm200_exponential(single, x, low) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: x, low
    real(8) :: total, n, r, rest
    integer(8) :: whole, half
    total = x * cm200_c_by_ln2 + cm200_c_round
    n = total - cm200_c_round
    whole = cm200_signed(total)
    r = n * (-cm200_c_ln2_high) + x
    r = n * (-cm200_c_ln2_low) + r
    r = r + low
    if (single) then
      rest = cm200_polynomial(cm200_c_exp32, r)
    else
      rest = cm200_polynomial(cm200_c_exp64, r)
    end if
    y = 1 + ((r * r) * rest + r)
    if (single) then
      y = y * cm200_two_to(whole)
    else
      half = (whole - modulo(whole, 2_8)) / 2
      y = y * cm200_two_to(half) * cm200_two_to(whole - half)
    end if
  end function

  ! Splits x into 2**n (1 + f), with 1 + f between the roots of 1/2 and 2.
  pure subroutine cm200_take_apart(single, x, n, f)
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8), intent(out) :: n, f
    integer(8), parameter :: root = 1072079006_8, one = 1072693248_8
    integer(8) :: bias, high
    real(8) :: scaled
    scaled = x
    bias = 1023
    if (.not. single .and. x < 2d0**(-1022)) then
      scaled = x * 2d0**54
      bias = 1023 + 54
    end if
    high = iand(cm200_high(scaled) + (one - root), 4294967295_8)
    n = real(ishft(high, -20) - bias, 8)
    f = cm200_joined(cm200_low(scaled), iand(high, 1048575_8) + root) - 1
  end subroutine

  ! Returns the logarithm of a special x, and otherwise the result.
  pure real(8) function cm200_special(x, result) result(y)
    real(8), intent(in) :: x, result
    real(8) :: infinity
    infinity = cm200_joined(0_8, 2146435072_8)
    y = x
    if (x < infinity) y = result
    if (x < 0) y = cm200_joined(0_8, 2146959360_8)
    if (x == 0) y = -infinity
  end function

  pure real(8) function cm200_logarithm(single, x) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: n, f, s, z, p, square, rest, below
    call cm200_take_apart(single, x, n, f)
    s = f / (2 + f)
    z = s * s
    if (single) then
      p = z * cm200_polynomial(cm200_c_log32, z)
    else
      p = z * cm200_polynomial(cm200_c_log64, z)
    end if
    square = (0.5d0 * f) * f
    rest = s * (square + p) + n * cm200_c_ln2_low
    below = (square - rest) - f
    y = cm200_special(x, n * cm200_c_ln2_high - below)
  end function

  ! The product of the upper half of the mantissa's logarithm and the first part of 1 / ln 10 is exact.
  pure real(8) function cm200_logarithm10(single, x) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: n, f, s, z, square, high, left, low, sum_high, sum_low, rest
    if (single) then
      y = cm200_logarithm(.true., x) * (cm200_c_by_ln10_high + cm200_c_by_ln10_low)
      return
    end if
    call cm200_take_apart(.false., x, n, f)
    s = f / (2 + f)
    z = s * s
    square = (0.5d0 * f) * f
    call cm200_halves(f - square, high, left)
    left = (f - high) - square
    low = s * (square + z * cm200_polynomial(cm200_c_log64, z)) + left
    call cm200_exact_sum(n * cm200_c_lg2_high, high * cm200_c_by_ln10_high, sum_high, sum_low)
    rest = n * cm200_c_lg2_low + sum_low
    rest = (low + high) * cm200_c_by_ln10_low + rest
    y = cm200_special(x, sum_high + (low * cm200_c_by_ln10_high + rest))
  end function

  ! ---- numbers as sums of two ----

  pure subroutine cm200_exact_sum(a, b, high, low)
    real(8), intent(in) :: a, b
    real(8), intent(out) :: high, low
    real(8) :: of_a, of_b
    high = a + b
    of_b = high - a
    of_a = high - of_b
    low = (a - of_a) + (b - of_b)
  end subroutine

  pure subroutine cm200_halves(x, high, low)
    real(8), intent(in) :: x
    real(8), intent(out) :: high, low
    high = transfer(iand(transfer(x, 0_8), not(134217727_8)), 0d0)
    low = x - high
  end subroutine

  pure subroutine cm200_exact_product(a, b, high, low)
    real(8), intent(in) :: a, b
    real(8), intent(out) :: high, low
    real(8) :: a_high, a_low, b_high, b_low
    call cm200_halves(a, a_high, a_low)
    call cm200_halves(b, b_high, b_low)
    high = a * b
    low = a_high * b_high - high
    low = a_high * b_low + low
    low = a_low * b_high + low
    low = a_low * b_low + low
  end subroutine

  ! ---- sines ----

  ! Computes SIN, COS or TAN (1, 2, 3) with x = n pi/2 + r.
  pure real(8) function cm200_circular(which, single, x) result(y)
    integer, intent(in) :: which
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: total, n, r, low, z, sine, cosine
    integer(8) :: quarter
    logical :: odd
    total = x * cm200_c_by_half_pi + cm200_c_round
    n = total - cm200_c_round
    quarter = cm200_low(total)
    call cm200_reduced(single, x, n, r, low)
    z = r * r
    sine = cm200_sine(single, r, low, z)
    cosine = cm200_cosine(single, r, low, z)
    odd = btest(quarter, 0)
    select case (which)
    case (1)
      y = merge(cosine, sine, odd)
      if (btest(quarter, 1)) y = -y
    case (2)
      y = merge(sine, cosine, odd)
      if (btest(quarter + 1, 1)) y = -y
    case default
      if (odd) then
        y = -(cosine / sine)
      else
        y = sine / cosine
      end if
    end select
    if (which /= 2 .and. abs(x) < cm200_c_tiny) y = x
  end function

  pure subroutine cm200_reduced(single, x, n, r, low)
    logical, intent(in) :: single
    real(8), intent(in) :: x, n
    real(8), intent(out) :: r, low
    real(8) :: first, second, high, rest
    first = n * (-cm200_c_half_pi_1) + x
    second = n * (-cm200_c_half_pi_2)
    low = 0
    r = first + second
    if (single) return
    call cm200_exact_sum(first, second, high, rest)
    rest = n * (-cm200_c_half_pi_3) + rest
    call cm200_exact_sum(high, rest, r, low)
  end subroutine

  pure real(8) function cm200_sine(single, r, low, z) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: r, low, z
    real(8) :: cube, rest
    cube = r * z
    if (single) then
      y = cube * cm200_polynomial(cm200_c_sin32, z) + r
      return
    end if
    rest = (z * (-0.5d0)) * low + low
    y = r + (cube * cm200_polynomial(cm200_c_sin64, z) + rest)
  end function

  pure real(8) function cm200_cosine(single, r, low, z) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: r, low, z
    real(8) :: half, square, first, lost
    half = z * 0.5d0
    square = z * z
    first = 1 - half
    if (single) then
      y = square * cm200_polynomial(cm200_c_cos32, z) + first
      return
    end if
    lost = (1 - first) - half
    y = first + (square * cm200_polynomial(cm200_c_cos64, z) + (lost - r * low))
  end function

  ! ---- hyperbolic functions ----

  ! Computes e**x as 2**n (high + low).
  pure subroutine cm200_exp_parts(x, n, high, low)
    real(8), intent(in) :: x
    integer(8), intent(out) :: n
    real(8), intent(out) :: high, low
    real(8) :: total, whole, first, second, r, more, sum_high, sum_low
    total = x * cm200_c_by_ln2 + cm200_c_round
    whole = total - cm200_c_round
    n = cm200_signed(total)
    first = whole * (-cm200_c_ln2_high) + x
    second = whole * cm200_c_ln2_low
    r = first - second
    more = (r * r) * cm200_polynomial(cm200_c_exp64, r) + ((first - r) - second)
    call cm200_exact_sum(1d0, r, sum_high, sum_low)
    call cm200_exact_sum(sum_high, more, high, low)
    low = sum_low + low
  end subroutine

  pure real(8) function cm200_scaled(x, n) result(y)
    real(8), intent(in) :: x
    integer(8), intent(in) :: n
    integer(8) :: half
    half = (n - modulo(n, 2_8)) / 2
    y = x * cm200_two_to(half) * cm200_two_to(n - half)
  end function

  ! Computes SINH, COSH or TANH (1, 2, 3).
  pure real(8) function cm200_hyperbolic(which, single, x) result(y)
    integer, intent(in) :: which
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: a, z, e
    a = abs(x)
    z = a * a
    if (single) then
      e = cm200_exponential(.true., cm200_bounded(.true., merge(a + a, a, which == 3)), 0d0)
      if (which == 1) y = (e - 1 / e) * 0.5d0
      if (which == 2) y = (e + 1 / e) * 0.5d0
      if (which == 3) y = (e - 1) / (e + 1)
      if (which /= 2 .and. a < 2d0**(-13)) y = a
    else if (which == 2) then
      y = cm200_half_sum(a, 1)
    else if (which == 1) then
      y = cm200_half_sum(a, -1)
      if (a < 1) y = (a * z) * cm200_polynomial(cm200_c_sinh64, z) + a
    else
      y = cm200_hyperbolic_tangent(a)
      if (a < 0.55d0) y = (a * z) * cm200_polynomial(cm200_c_tanh64, z) + a
    end if
    if (which /= 2) y = sign(y, x)
  end function

  ! Computes e**x / 2 and e**(-x) / 2, and their sum or difference.
  pure real(8) function cm200_half_sum(x, factor) result(y)
    real(8), intent(in) :: x
    integer, intent(in) :: factor
    integer(8) :: n
    real(8) :: bound, high, low
    bound = x
    if (712d0 < x) bound = 712d0
    call cm200_exp_parts(bound, n, high, low)
    high = cm200_scaled(high, n - 1)
    low = cm200_scaled(low, n - 1)
    if (factor > 0) then
      y = high + (low + 0.25d0 / high)
    else
      y = high + (low - 0.25d0 / high)
    end if
  end function

  ! Computes 1 - 2 / (e**(2 x) + 1), corrected by the rounding error of the quotient.
  pure real(8) function cm200_hyperbolic_tangent(x) result(y)
    real(8), intent(in) :: x
    integer(8) :: n
    real(8) :: bound, high, low, w, w_low, q, back, back_low, lack, all_high, all_low
    bound = x
    if (22d0 < x) bound = 22d0
    call cm200_exp_parts(bound + bound, n, high, low)
    call cm200_exact_sum(high * cm200_two_to(n), 1d0, w, w_low)
    low = w_low + low * cm200_two_to(n)
    q = 2 / w
    call cm200_exact_product(q, w, back, back_low)
    lack = ((2 - back) - back_low) - q * low
    call cm200_exact_sum(1d0, -q, all_high, all_low)
    y = all_high + (all_low - lack * (q * 0.5d0))
  end function

  ! ---- arcsines ----

  ! Computes ASIN or ACOS (1, 2). Beyond 1/2 the argument is the root of (1 - |x|) / 2.
  pure real(8) function cm200_arc(which, single, x) result(y)
    integer, intent(in) :: which
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8) :: z, s, low, square, square_low, base, base_low, factor, high
    logical :: far
    far = 0.5d0 < abs(x)
    z = merge((1 - abs(x)) * 0.5d0, abs(x) * abs(x), far)
    s = abs(x)
    if (far) s = sqrt(z)
    low = 0
    if (far .and. .not. single) then
      call cm200_exact_product(s, s, square, square_low)
      low = ((z - square) - square_low) / max(2d0**(-60), s + s)
    end if
    if (single) then
      low = (s * z) * cm200_polynomial(cm200_c_asin32, z) + low
    else
      low = (s * z) * cm200_polynomial(cm200_c_asin64, z) + low
    end if
    factor = merge(-2d0, 1d0, far)
    base = merge(cm200_c_pi / 2, 0d0, far .eqv. which == 1)
    base_low = merge(cm200_c_pi_low / 2, 0d0, far .eqv. which == 1)
    if (which == 2) then
      if (far .and. x < 0) base = cm200_c_pi
      if (far .and. x < 0) base_low = cm200_c_pi_low
      if (.not. x < 0) factor = -factor
    end if
    if (single) then
      y = factor * low + (base + factor * s)
    else
      call cm200_exact_sum(base, factor * s, high, square_low)
      y = high + (factor * low + (square_low + base_low))
    end if
    if (which == 1) y = sign(y, x)
  end function

  ! ---- arctangents ----

  ! Computes the arctangent of a magnitude by (c + t) / (1 - c t), where c = b / a is the nearest of
  ! a few numbers.
  pure real(8) function cm200_arctangent(single, magnitude) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: magnitude
    real(8) :: x, a, b, high, low, t, z, p
    x = magnitude
    if (2d0**60 < magnitude) x = 2d0**60
    call cm200_range(single, x, a, b, high, low)
    t = (a * x - b) / (b * x + a)
    z = t * t
    if (single) then
      p = cm200_polynomial(cm200_c_atan32, z)
    else
      p = cm200_polynomial(cm200_c_atan64, z)
    end if
    y = high + (t + ((t * z) * p + low))
  end function

  pure subroutine cm200_range(single, x, a, b, high, low)
    logical, intent(in) :: single
    real(8), intent(in) :: x
    real(8), intent(out) :: a, b, high, low
    a = 1
    b = 0
    high = 0
    low = 0
    if (.not. single .and. 0.4375d0 <= x) then
      a = 2
      b = 1
      high = cm200_c_atan_half
      low = cm200_c_atan_half_low
    end if
    if (merge(0.4142d0, 0.6875d0, single) <= x) then
      a = 1
      b = 1
      high = cm200_c_pi / 4
      low = merge(0d0, cm200_c_pi_low / 4, single)
    end if
    if (.not. single .and. 1.1875d0 <= x) then
      a = 1
      b = 1.5d0
      high = cm200_c_atan_more
      low = cm200_c_atan_more_low
    end if
    if (merge(2.4142d0, 2.4375d0, single) <= x) then
      a = 0
      b = 1
      high = cm200_c_pi / 2
      low = merge(0d0, cm200_c_pi_low / 2, single)
    end if
  end subroutine

  ! Returns the angle of the point (x, y).
  pure real(8) function cm200_quadrant(single, y, x) result(angle)
    logical, intent(in) :: single
    real(8), intent(in) :: y, x
    real(8) :: q
    q = abs(y) / abs(x)
    if (abs(y) == abs(x)) q = 1
    if (abs(y) + abs(x) == 0) q = 0
    angle = cm200_arctangent(single, q)
    if (q < cm200_c_tiny) angle = q
    if (btest(cm200_high(x), 31)) angle = cm200_c_pi - (angle - cm200_c_pi_low)
    angle = sign(angle, y)
  end function

  ! ---- powers ----

  ! Computes e**(y log |x|), with the sign and the special cases of C's pow.
  pure real(8) function cm200_raised(single, x, y) result(power)
    logical, intent(in) :: single
    real(8), intent(in) :: x, y
    logical :: whole, odd
    real(8) :: infinity
    infinity = cm200_joined(0_8, 2146435072_8)
    if (single) then
      power = cm200_exponential(.true., cm200_bounded(.true., &
                                                      y * cm200_logarithm(.false., abs(x))), 0d0)
    else
      power = cm200_wide_power(abs(x), y)
    end if
    whole = cm200_truncated(y) == y
    odd = whole .and. cm200_truncated(y * 0.5d0) /= y * 0.5d0
    if (btest(cm200_high(x), 31) .and. odd) power = -power
    if (-infinity < x .and. x < 0 .and. .not. whole) power = cm200_joined(0_8, 2146959360_8)
    if (y == 0) power = 1
    if (x == 1) power = 1
  end function

  ! Removes the fraction. Numbers of 2**52 and more have no fraction.
  pure real(8) function cm200_truncated(x)
    real(8), intent(in) :: x
    cm200_truncated = x
    if (abs(x) < 2d0**52) cm200_truncated = real(int(x, 8), 8)
  end function

  pure real(8) function cm200_wide_power(x, y) result(power)
    real(8), intent(in) :: x, y
    real(8) :: high, low, log_high, log_low, bound
    call cm200_exact_log(x, log_high, log_low)
    call cm200_exact_product(y, log_high, high, low)
    low = y * log_low + low
    bound = merge(low, 0d0, abs(high) < 750)
    power = cm200_exponential(.false., cm200_bounded(.false., high), bound)
  end function

  pure subroutine cm200_exact_log(x, high, low)
    real(8), intent(in) :: x
    real(8), intent(out) :: high, low
    real(8) :: n, f, first, rest, m_high, m_low
    call cm200_take_apart(.false., x, n, f)
    call cm200_mantissa_log(f, m_high, m_low)
    call cm200_exact_sum(n * cm200_c_ln2_high, m_high, first, rest)
    rest = rest + m_low
    rest = n * cm200_c_ln2_low + rest
    call cm200_exact_sum(first, rest, high, low)
    high = cm200_special(x, high)
  end subroutine

  ! Computes 2 atanh s = 2 s + s**3 (2/3 + s**2 P(s**2)) with s = f / (2 + f), as a sum of two numbers.
  pure subroutine cm200_mantissa_log(f, high, low)
    real(8), intent(in) :: f
    real(8), intent(out) :: high, low
    real(8) :: d, d_low, s, s_low, back, back_low, rest, z, z_low, p, more
    real(8) :: factor, factor_low, cube, cube_low, term, term_low
    d = 2 + f
    d_low = f - (d - 2)
    s = f / d
    call cm200_exact_product(s, d, back, back_low)
    rest = (f - back) - back_low
    rest = rest - s * d_low
    s_low = rest / d
    call cm200_exact_product(s, s, z, z_low)
    z_low = (s + s) * s_low + z_low
    p = cm200_polynomial(cm200_c_log_rest64, z)
    more = p * z + cm200_c_two_thirds_low
    call cm200_exact_sum(cm200_c_two_thirds, more, factor, factor_low)
    call cm200_exact_product(z, s, cube, cube_low)
    cube_low = z_low * s + cube_low
    cube_low = z * s_low + cube_low
    call cm200_exact_product(cube, factor, term, term_low)
    term_low = cube * factor_low + term_low
    term_low = cube_low * factor + term_low
    call cm200_exact_sum(s + s, term, high, low)
    low = low + term_low
    low = 2 * s_low + low
  end subroutine

  ! ---- complex numbers ----

  pure real(8) function cm200_magnitude(single, re, im) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: re, im
    real(8) :: a, b, greater, lesser, infinity
    infinity = cm200_joined(0_8, 2146435072_8)
    a = abs(re)
    b = abs(im)
    if (single) then
      y = sqrt(a * a + b * b)
    else
      greater = merge(a, b, a > b)
      lesser = merge(b, a, b < a)
      y = greater * sqrt((lesser / greater) * (lesser / greater) + 1)
      if (a + b == 0) y = 0
    end if
    if (a == infinity .or. b == infinity) y = infinity
  end function

  pure complex(8) function cm200_root(single, re, im) result(y)
    logical, intent(in) :: single
    real(8), intent(in) :: re, im
    real(8) :: t, other, real_part, imaginary
    t = sqrt(0.5d0 * cm200_magnitude(single, re, im) + 0.5d0 * abs(re))
    other = (0.5d0 * abs(im)) / t
    if (t == 0) other = 0
    real_part = merge(other, t, re < 0)
    imaginary = merge(t, other, re < 0)
    y = cmplx(real_part, sign(imaginary, im), 8)
  end function
end module
