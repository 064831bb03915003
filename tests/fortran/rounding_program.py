"""Random CM Fortran programs with sums, products of matrices, EXP and the like, and loops until convergence. Their results depend on
the machine's order of evaluation, with which tests/fortran/order writes them for gfortran."""

from random_program import COMPLEX, DOUBLE, INTEGER, LOGICAL, REAL, Program

FUNCTIONS = ("EXP(-ABS(%s))", "LOG(ABS(%s) + 0.25)", "SIN(%s)", "COS(%s)", "TAN(%s)", "ATAN(%s)", "SINH(3 * ATAN(%s))",
             "COSH(4 * SIN(%s))", "TANH(%s)", "ASIN(SIN(%s))", "ACOS(COS(%s))", "LOG10(ABS(%s) + 0.25)")


class RoundingProgram(Program):
    def operand(self, type_, shape, ranges, depth):
        """An expression with an array in it: of constants alone, compilers know the value."""
        array = self.pick(self.of(type_, shape))
        name = array.name if ranges is None else self.section(array, self.like(shape, ranges))
        return name if self.chance(0.5) else "(%s + %s)" % (name, self.expression(type_, shape, ranges, depth - 1))

    def real(self, type_, shape, ranges, depth):
        if self.chance(0.6):
            return super().real(type_, shape, ranges, depth)
        form = self.random.randrange(10)
        if form < 6:
            return self.pick(FUNCTIONS) % self.operand(type_, shape, ranges, depth)
        if form == 6:
            return "ATAN2(%s, %s)" % tuple(self.operand(type_, shape, ranges, depth) for _ in range(2))
        if form < 9 or type_ == DOUBLE:
            one, two = ("1.0", "2.0") if type_ == REAL else ("1.0D0", "2.0D0")
            base, exponent = (self.operand(type_, shape, ranges, depth) for _ in range(2))
            return "(MIN(ABS(%s), %s) + %s)**MAX(MIN(%s, %s), -%s)" % (base, two, one, exponent, two, two)
        return "ABS(%s)" % self.operand(COMPLEX, shape, ranges, depth)

    def complex(self, shape, ranges, depth):
        if self.chance(0.1):
            return "SQRT(%s)" % self.operand(COMPLEX, shape, ranges, depth)
        return super().complex(shape, ranges, depth)

    def reduced(self, type_, shape, depth):
        if type_ not in (REAL, DOUBLE, COMPLEX) or self.chance(0.3):
            return super().reduced(type_, shape, depth)
        found = [(a, d) for a in self.of_type(type_) for d in range(len(a.shape)) if len(a.shape) > 1
                 and a.shape[:d] + a.shape[d + 1:] == shape]
        if not found:
            return None
        array, dim = self.pick(found)
        mask = ", MASK=%s" % self.array(LOGICAL, array.shape, 1) if self.chance(0.4) else ""
        name = "PRODUCT" if self.chance(0.2) else "SUM"
        return "%s(%s, DIM=%d%s)" % (name, self.array(type_, array.shape, depth - 1), dim + 1, mask)

    def product(self, type_, shape):
        pairs = [(a, b) for a in self.of_type(type_) for b in self.of_type(type_)
                 if type_ != LOGICAL and len(a.shape) + len(b.shape) in (3, 4) and max(len(a.shape), len(b.shape)) == 2
                 and a.shape[-1] == b.shape[0] and a.shape[:-1] + b.shape[1:] == shape]
        return "MATMUL(%s, %s)" % tuple(x.name for x in self.pick(pairs)) if pairs else None

    def scalar(self, type_):
        arrays = self.of_type(type_)
        if type_ not in (REAL, DOUBLE, COMPLEX) or not arrays or self.chance(0.3):
            return super().scalar(type_)
        array = self.pick(arrays)
        form = self.random.randrange(5)
        if form == 0:
            return "PRODUCT(%s)" % array.name
        if form == 1:
            return "SUM(%s)" % self.section(array, self.ranges(array.shape))
        if form == 2:
            return "SUM(%s, MASK=%s)" % (self.array(type_, array.shape, 1), self.array(LOGICAL, array.shape, 1))
        vectors = [a for a in arrays if len(a.shape) == 1]
        if form == 3 and vectors:
            vector = self.pick(vectors)
            return "DOT_PRODUCT(%s, %s)" % (vector.name, self.pick(self.of(type_, vector.shape)).name)
        return "SUM(%s)" % self.array(type_, array.shape, 2)

    def forall(self):
        arrays = [a for a in self.arrays if a.type in (REAL, DOUBLE)]
        if not arrays or self.chance(0.5):
            super().forall()
            return
        array = self.pick(arrays)
        indices = ["i", "j", "k"][:len(array.shape)]
        ranges = ", ".join("%s = %d:%d" % (i, low, low + n - 1) for i, low, n in zip(indices, array.lower, array.shape))
        element = "%s(%s)" % (array.name, ", ".join(indices))
        factor = "0.3" if array.type == REAL else "0.3D0"
        mask = ", %s .GT. %s" % (element, factor) if self.chance(0.3) else ""
        self.say("FORALL (%s%s) %s = %s + %s * %s" % (ranges, mask, element, self.pick(FUNCTIONS) % element,
                                                      factor, indices[-1]))
        self.bound(array)

    def converge(self):
        """Smooths an array until it changes little."""
        array = self.pick([a for a in self.arrays if a.type in (REAL, DOUBLE)])
        half, least = ("0.5", "1.0E-3") if array.type == REAL else ("0.5D0", "1.0D-6")
        dim = self.random.randint(1, len(array.shape))
        self.say("n3 = 0")
        self.say("DO WHILE (SUM(ABS(CSHIFT(%s, DIM=%d, SHIFT=1) - %s)) .GT. %s .AND. n3 .LT. 12)"
                 % (array.name, dim, array.name, least))
        self.say("  %s = %s * (%s + CSHIFT(%s, DIM=%d, SHIFT=1)) + SIN(%s) / (2 + SUM(ABS(%s)))"
                 % (array.name, half, array.name, array.name, dim, array.name, array.name))
        self.say("  n3 = n3 + 1")
        self.say("END DO")
        self.say("print *, n3, SUM(%s)" % array.name)

    def statements(self, count):
        super().statements(count)
        if self.chance(0.4):
            self.converge()

    def declare(self):
        super().declare()
        self.lines.insert(1, "  integer n3")
