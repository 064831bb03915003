"""The numbers of lower_exponential.c, lower_angles.c and lower_hyperbolic.c: polynomials by interpolation in Chebyshev
nodes, which is close to the least greatest error, and numbers that doubles hold in parts.

usage: coefficients.py

Prints each polynomial's coefficients as C's hexadecimal constants, the constant term first, and its greatest error
relative to the function that it is part of; then the parts, the first ones short, so that their products with whole
numbers are exact. Needs mpmath.
"""

from mpmath import asin, atan, atanh, chebyfit, cos, exp, floor, log, mp, mpf, pi, polyval, sin, sinh, sqrt, tanh

mp.prec = 200


def exp_rest(r):
    """(e^r - 1 - r) / r^2"""
    return (exp(r) - 1 - r) / r ** 2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6


def series(function, terms):
    """A function of z = s^2, by its own formula, or by the first two terms of its series near 0."""
    return lambda z: function(sqrt(z)) if z > mpf(10) ** -20 else terms[0] + z * terms[1]


LOG = series(lambda s: (2 * atanh(s) / s - 2) / s ** 2, (mpf(2) / 3, mpf(2) / 5))
LOG_REST = series(lambda s: ((2 * atanh(s) / s - 2) / s ** 2 - mpf(2) / 3) / s ** 2, (mpf(2) / 5, mpf(2) / 7))
SIN = series(lambda r: (sin(r) / r - 1) / r ** 2, (-mpf(1) / 6, mpf(1) / 120))
COS = series(lambda r: (cos(r) - 1 + r ** 2 / 2) / r ** 4, (mpf(1) / 24, -mpf(1) / 720))
ATAN = series(lambda t: (atan(t) / t - 1) / t ** 2, (-mpf(1) / 3, mpf(1) / 5))
SINH = series(lambda r: (sinh(r) / r - 1) / r ** 2, (mpf(1) / 6, mpf(1) / 120))
TANH = series(lambda r: (tanh(r) / r - 1) / r ** 2, (-mpf(1) / 3, mpf(2) / 15))
ASIN = series(lambda s: (asin(s) / s - 1) / s ** 2, (mpf(1) / 6, mpf(3) / 40))

HALF_LN2 = log(2) / 2 * mpf("1.0001")
LOG_END = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * mpf("1.001")
QUARTER = (pi / 4) ** 2 * mpf("1.0001")
POLYNOMIALS = (
    # name, function, interval, degree for 32 and for 64 bits, what the error is multiplied by
    ("exp", exp_rest, (-HALF_LN2, HALF_LN2), 5, 10, lambda r: r ** 2),
    ("log", LOG, (0, LOG_END), 3, 6, lambda z: z / 2),
    ("log_rest", LOG_REST, (0, LOG_END), 3, 6, lambda z: z ** 2 / 2),
    ("sin", SIN, (0, QUARTER), 3, 6, lambda z: z),
    ("cos", COS, (0, QUARTER), 3, 6, lambda z: z ** 2 * sqrt(2)),
    ("atan", ATAN, (0, mpf(7) / 16 * mpf(7) / 16), 5, 11, lambda z: z),
    ("sinh", SINH, (0, mpf("1.0001")), 3, 7, lambda z: z),
    ("tanh", TANH, (0, mpf("0.3026")), 4, 10, lambda z: z),
    ("asin", ASIN, (0, mpf("0.2501")), 5, 12, lambda z: z),
)


def parts_of(value, lengths):
    """A number as a sum of doubles of so many bits each; all but the last truncated."""
    parts = []
    for length in lengths:
        if length < 53:
            exponent = int(floor(log(value, 2)))
            part = float(floor(value / mpf(2) ** (exponent - length + 1)) * mpf(2) ** (exponent - length + 1))
        else:
            part = float(value)
        parts.append(part)
        value -= part
    return parts


def main():
    for name, function, interval, *degrees, weight in POLYNOMIALS:
        for bits, degree in zip((32, 64), degrees):
            polynomial = [mpf(float(c)) for c in chebyfit(function, interval, degree + 1)]
            low, high = mpf(interval[0]), mpf(interval[1])
            points = [low + (high - low) * i / 2000 for i in range(2001)]
            error = max(abs(polyval(polynomial, z) - function(z)) * abs(weight(z)) for z in points)
            print("%s%d: 2^%.1f" % (name, bits, float(log(error, 2))))
            print("    {" + ", ".join(float(c).hex() for c in reversed(polynomial)) + "}")
    for name, value, lengths in (("ln 2", log(2), (32, 53)), ("pi / 2", pi / 2, (33, 33, 53)), ("pi", pi, (53, 53)),
                                 ("atan 1/2", atan(mpf(1) / 2), (53, 53)), ("atan 3/2", atan(mpf(3) / 2), (53, 53)),
                                 ("2 / 3", mpf(2) / 3, (53, 53)), ("1 / ln 2", 1 / log(2), (53,)),
                                 ("2 / pi", 2 / pi, (53,)), ("1 / ln 10", 1 / log(10), (27, 53)),
                                 ("log10 2", log(2) / log(10), (32, 53))):
        print("%s: %s" % (name, ", ".join(part.hex() for part in parts_of(value, lengths))))


main()
