"""Random CM Fortran programs whose output gfortran computes bit for bit: declarations and layouts, elementwise expressions of all
types, sections, shifts, WHERE, FORALL, look-ups, reductions that do not round, functions that change an array's shape, vectors of
subscripts, loops, branches and calls. Real values are kept below a bound, so that NaNs and infinities, whose minimum is not
defined, do not come up."""

import random

INTEGER, REAL, DOUBLE, COMPLEX, LOGICAL = "integer", "real", "real*8", "complex", "logical"
TYPES = (INTEGER, REAL, DOUBLE, COMPLEX, LOGICAL)
ORDERS = (":NEWS", ":NEWS", ":NEWS", ":SEND", ":SERIAL")


class Array:
    def __init__(self, name, type_, shape, lower):
        self.name, self.type, self.shape, self.lower = name, type_, shape, lower

    def bounds(self):
        return ", ".join("%d:%d" % (low, low + n - 1) if low != 1 else str(n) for low, n in zip(self.lower, self.shape))


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.arrays = []
        self.depth = 0
        self.units = []
        self.externals = []  # subroutines that are passed as arguments

    # ---- pieces ----

    def chance(self, share):
        return self.random.random() < share

    def pick(self, items):
        return self.random.choice(list(items))

    def of(self, type_, shape):
        return [a for a in self.arrays if a.type == type_ and a.shape == shape]

    def of_type(self, type_):
        return [a for a in self.arrays if a.type == type_]

    def constant(self, type_):
        number = self.random.randint(-9, 9)
        if type_ == INTEGER:
            return "(%d)" % number
        if type_ == LOGICAL:
            return self.pick((".TRUE.", ".FALSE."))
        quarter = self.pick((0.0, 0.25, 0.5, 0.75)) + abs(number)
        if type_ == REAL:
            return "%.2f" % quarter
        if type_ == DOUBLE:
            return "%.2fD0" % quarter
        return "(%.2f, %.2f)" % (quarter, number)

    def section(self, array, ranges=None):
        """Text of a section of the array; `ranges` are (offset from 0, count, stride) for each dimension."""
        parts = []
        for low, n, (first, count, stride) in zip(array.lower, array.shape, ranges):
            last = first + (count - 1) * stride
            if (first, count, stride) == (0, n, 1) and self.chance(0.7):
                parts.append(":")
            elif stride == 1:
                parts.append("%d:%d" % (low + first, low + last))
            else:
                parts.append("%d:%d:%d" % (low + first, low + last, stride))
        return "%s(%s)" % (array.name, ", ".join(parts))

    def ranges(self, shape):
        """Random ranges of an array of this shape."""
        found = []
        for n in shape:
            stride = self.pick((1, 1, 1, 2)) if n > 2 else 1
            count = self.random.randint(1, (n + stride - 1) // stride)
            found.append((self.random.randint(0, n - 1 - (count - 1) * stride), count, stride))
        return found

    def like(self, shape, ranges):
        """Ranges of the same counts elsewhere in the shape."""
        found = []
        for n, (first, count, stride) in zip(shape, ranges):
            span = (count - 1) * stride
            found.append((first if self.chance(0.4) else self.random.randint(0, n - 1 - span), count, stride))
        return found

    # ---- expressions ----

    def leaf(self, type_, shape, ranges):
        arrays = self.of(type_, shape)
        if not arrays or self.chance(0.2):
            return self.constant(type_)
        array = self.pick(arrays)
        return array.name if ranges is None else self.section(array, self.like(shape, ranges))

    def array(self, type_, shape, depth):
        """An expression that is not a scalar, as one operand is an array."""
        name = self.pick(self.of(type_, shape)).name
        if depth <= 0 or self.chance(0.4):
            return name
        other = self.expression(type_, shape, None, depth)
        return "(%s %s %s)" % (name, ".OR." if type_ == LOGICAL else "+", other)

    def shift(self, type_, shape, depth):
        inner = self.array(type_, shape, depth - 1)
        dim, by = self.random.randint(1, len(shape)), self.random.randint(-3, 3)
        if self.chance(0.6):
            keyword = self.chance(0.5)
            return ("CSHIFT(%s, DIM=%d, SHIFT=%d)" % (inner, dim, by) if keyword else
                    "CSHIFT(%s, %d, %d)" % (inner, by, dim))  # Fortran 90's order, that of .f90
        boundary = "" if self.chance(0.4) else ", BOUNDARY=%s" % self.constant(type_)
        return "EOSHIFT(%s, DIM=%d, SHIFT=%d%s)" % (inner, dim, by, boundary)

    def subscripts(self, array, shape, permuted):
        """A section of the array of this shape by vectors of subscripts, all different if `permuted`; None if it would be long."""
        if max(shape) > 9:
            return None
        parts = []
        for low, n, count in zip(array.lower, array.shape, shape):
            if n == count and self.chance(0.3):
                parts.append(":")
                continue
            places = self.random.sample(range(n), count) if permuted else [self.random.randrange(n) for _ in range(count)]
            parts.append("[%s]" % ", ".join(str(low + place) for place in places))
        return "%s(%s)" % (array.name, ", ".join(parts))

    def transposed(self, type_, shape, depth):
        if len(shape) == 2 and self.of(type_, shape[::-1]):
            return "TRANSPOSE(%s)" % self.array(type_, shape[::-1], depth - 1)
        return None

    def product(self, type_, shape):
        """Of integers; their products wrap around, and bound() makes them small again."""
        pairs = [(a, b) for a in self.of_type(type_) for b in self.of_type(type_)
                 if type_ == INTEGER and len(a.shape) + len(b.shape) in (3, 4) and max(len(a.shape), len(b.shape)) == 2
                 and a.shape[-1] == b.shape[0] and a.shape[:-1] + b.shape[1:] == shape]
        return "MATMUL(%s, %s)" % tuple(x.name for x in self.pick(pairs)) if pairs else None

    def reduced(self, type_, shape, depth):
        """A reduction along a dimension that does not round."""
        source = LOGICAL if type_ == LOGICAL or (type_ == INTEGER and self.chance(0.3)) else type_
        found = [(a, d) for a in self.of_type(source) for d in range(len(a.shape)) if len(a.shape) > 1
                 and a.shape[:d] + a.shape[d + 1:] == shape]
        if not found or type_ == COMPLEX:
            return None
        array, dim = self.pick(found)
        if source == LOGICAL:
            names = ("ANY", "ALL") if type_ == LOGICAL else ("COUNT",)
        else:
            names = ("MAXVAL", "MINVAL", "SUM") if type_ == INTEGER else ("MAXVAL", "MINVAL")
        name = self.pick(names)
        mask = ", MASK=%s" % self.array(LOGICAL, array.shape, 1) if name == "SUM" and self.chance(0.4) else ""
        return "%s(%s, DIM=%d%s)" % (name, self.array(source, array.shape, depth - 1), dim + 1, mask)

    def spread(self, type_, shape, depth):
        dim = self.random.randrange(len(shape))
        source = shape[:dim] + shape[dim + 1:]
        if len(shape) < 2:
            return None
        if self.chance(0.4):  # a part of an array of the shape
            array = self.pick(self.of(type_, shape))
            place = str(array.lower[dim] + self.random.randrange(shape[dim]))
            parts = ", ".join(place if i == dim else ":" for i in range(len(shape)))
            return "SPREAD(%s(%s), %d, %d)" % (array.name, parts, dim + 1, shape[dim])
        if not self.of(type_, source):
            return None
        return "SPREAD(%s, %d, %d)" % (self.array(type_, source, depth - 1), dim + 1, shape[dim])

    def picked(self, type_, shape):
        arrays = [a for a in self.of_type(type_) if len(a.shape) == len(shape)]
        return self.subscripts(self.pick(arrays), shape, False)

    def reshaped(self, type_, shape, depth):
        """Elements in order: of an array of any shape, or packed and unpacked."""
        if self.chance(0.5):
            mask = self.pick(self.of(LOGICAL, shape)).name
            return "UNPACK(PACK(%s, %s), %s, %s)" % (self.array(type_, shape, depth - 1), mask, mask,
                                                     self.pick(self.of(type_, shape)).name)
        array = self.pick(self.of_type(type_))
        return "RESHAPE(%s, [%s], PAD=[%s])" % (array.name, ", ".join(str(n) for n in shape), self.constant(type_))

    def transformed(self, type_, shape, depth):
        """A function that changes the shape of its argument, or a vector of subscripts, or None."""
        return self.pick((lambda: self.transposed(type_, shape, depth), lambda: self.product(type_, shape),
                          lambda: self.reduced(type_, shape, depth), lambda: self.spread(type_, shape, depth),
                          lambda: self.picked(type_, shape), lambda: self.reshaped(type_, shape, depth)))()

    def integer(self, shape, ranges, depth):
        a, b = (self.expression(INTEGER, shape, ranges, depth - 1) for _ in range(2))
        form = self.random.randrange(9)
        if form < 3:
            return "(%s %s %s)" % (a, "+-*"[form], b)
        if form == 3:
            return "%s(%s, %d)" % (self.pick(("MOD", "MODULO")), a, self.pick((2, 3, 7, -5)))
        if form == 4:
            return "%s(%s, %s)" % (self.pick(("MIN", "MAX", "IAND", "IOR", "IEOR")), a, b)
        if form == 5:
            return "ABS(%s)" % a
        if form == 6:
            return "MERGE(%s, %s, %s)" % (a, b, self.expression(LOGICAL, shape, ranges, depth - 1))
        if form == 7:
            return "INT(%s)" % self.expression(self.pick((REAL, DOUBLE)), shape, ranges, depth - 1)
        return "(%s / %s)" % (a, self.pick(("2", "3", "(-4)")))

    def real(self, type_, shape, ranges, depth):
        a, b = (self.expression(type_, shape, ranges, depth - 1) for _ in range(2))
        one = "1.0" if type_ == REAL else "1.0D0"
        form = self.random.randrange(11)
        if form < 3:
            return "(%s %s %s)" % (a, "+-*"[form], b)
        if form == 3:
            return "(%s / (%s + ABS(%s)))" % (a, one, b)
        if form == 4:
            return "SQRT(ABS(%s))" % a
        if form == 5:
            return "%s(%s, %s)" % (self.pick(("MIN", "MAX")), a, b)
        if form == 6:
            return "MERGE(%s, %s, %s)" % (a, b, self.expression(LOGICAL, shape, ranges, depth - 1))
        if form == 7:
            return "%s(%s)" % ("REAL" if type_ == REAL else "DBLE", self.expression(INTEGER, shape, ranges, depth - 1))
        if form == 8:
            return "(-%s)" % a
        if form == 9 and type_ == REAL:
            return "%s(%s)" % (self.pick(("REAL", "AIMAG")), self.expression(COMPLEX, shape, ranges, depth - 1))
        return "(%s)**%d" % (a, self.pick((2, 3)))

    def complex(self, shape, ranges, depth):
        a, b = (self.expression(COMPLEX, shape, ranges, depth - 1) for _ in range(2))
        form = self.random.randrange(5)
        if form < 3:
            return "(%s %s %s)" % (a, "+-*"[form], b)
        if form == 3:
            return "CONJG(%s)" % a
        return "CMPLX(%s, %s)" % tuple(self.expression(REAL, shape, ranges, depth - 1) for _ in range(2))

    def logical(self, shape, ranges, depth):
        form = self.random.randrange(5)
        if form < 3:
            type_ = self.pick((INTEGER, REAL, DOUBLE))
            a, b = (self.expression(type_, shape, ranges, depth - 1) for _ in range(2))
            return "(%s %s %s)" % (a, self.pick((".LT.", ".LE.", ".GT.", ".GE.", ".EQ.", ".NE.", "<", "==")), b)
        a, b = (self.expression(LOGICAL, shape, ranges, depth - 1) for _ in range(2))
        if form == 3:
            return "(.NOT. %s)" % a
        return "(%s %s %s)" % (a, self.pick((".AND.", ".OR.", ".EQV.", ".NEQV.")), b)

    def expression(self, type_, shape, ranges, depth):
        """Of whole arrays of the shape, or of sections with the counts of `ranges`."""
        if depth <= 0:
            return self.leaf(type_, shape, ranges)
        if self.chance(0.1):
            scalar = self.scalar(type_)
            if scalar:
                return scalar
        if ranges is None and self.chance(0.2):
            return self.shift(type_, shape, depth)
        if ranges is None and self.chance(0.25):
            text = self.transformed(type_, shape, depth)
            if text:
                return text
        if type_ == INTEGER:
            return self.integer(shape, ranges, depth)
        if type_ == COMPLEX:
            return self.complex(shape, ranges, depth)
        if type_ == LOGICAL:
            return self.logical(shape, ranges, depth)
        return self.real(type_, shape, ranges, depth)

    def scalar(self, type_):
        """A reduction of some array whose value does not depend on the order, or None."""
        arrays = [a for a in self.arrays if a.type == (LOGICAL if type_ == LOGICAL or self.chance(0.2) else type_)]
        if not arrays:
            return None
        array = self.pick(arrays)
        if array.type == LOGICAL:
            if type_ == LOGICAL:
                return "%s(%s)" % (self.pick(("ANY", "ALL")), array.name)
            return "COUNT(%s)" % array.name if type_ == INTEGER else None
        if type_ == COMPLEX:
            return None
        return "%s(%s)" % (self.pick(("MAXVAL", "MINVAL", "SUM") if type_ == INTEGER else ("MAXVAL", "MINVAL")), array.name)

    # ---- statements ----

    def say(self, text):
        # A long statement goes on in the next line, at a blank.
        text = "  " * (self.depth + 1) + text
        while len(text) > 110:
            cut = text.rindex(" ", 20, 108) if " " in text[20:108] else None
            if cut is None:
                break
            self.lines.append(text[:cut] + " &")
            text = "    " + text[cut + 1:]
        self.lines.append(text)

    def bound(self, array):
        """Values of a real array that are too large, or NaNs, become small again."""
        if array.type in (REAL, DOUBLE):
            limit, small = ("1.0E6", "0.5") if array.type == REAL else ("1.0D6", "0.5D0")
            self.say("%s = MERGE(%s, %s, ABS(%s) .LT. %s)" % (array.name, array.name, small, array.name, limit))
        elif array.type == COMPLEX:
            self.say("%s = MERGE(%s, (0.5, 0.25), ABS(REAL(%s)) .LT. 1.0E4 .AND. ABS(AIMAG(%s)) .LT. 1.0E4)"
                     % ((array.name,) * 4))
        elif array.type == INTEGER:
            self.say("%s = MOD(%s, 1000)" % (array.name, array.name))

    def assign(self):
        array = self.pick(self.arrays)
        if self.chance(0.35):
            ranges = self.ranges(array.shape)
            self.say("%s = %s" % (self.section(array, ranges), self.expression(array.type, array.shape, ranges, 2)))
        else:
            self.say("%s = %s" % (array.name, self.expression(array.type, array.shape, None, 3)))
        self.bound(array)

    def scatter(self):
        array = self.pick(self.arrays)
        target = self.subscripts(array, array.shape, True)
        if target:
            self.say("%s = %s" % (target, self.array(array.type, array.shape, 2)))
            self.bound(array)

    def locate(self):
        array = self.pick([a for a in self.arrays if a.type in (INTEGER, REAL, DOUBLE)])
        mask = ", MASK=%s" % self.array(LOGICAL, array.shape, 1) if self.chance(0.4) else ""
        self.say("loc%d = %s(%s%s)" % (len(array.shape), self.pick(("MAXLOC", "MINLOC")), array.name, mask))

    def where(self):
        shape = self.pick(self.arrays).shape
        arrays = [a for a in self.arrays if a.shape == shape]
        self.say("WHERE (%s)" % self.array(LOGICAL, shape, 2))
        touched = [self.pick(arrays) for _ in range(self.random.randint(1, 2))]
        for array in touched:
            self.say("  %s = %s" % (array.name, self.expression(array.type, shape, None, 2)))
        if self.chance(0.6):
            self.say("ELSEWHERE")
            touched.append(self.pick(arrays))
            self.say("  %s = %s" % (touched[-1].name, self.expression(touched[-1].type, shape, None, 2)))
        self.say("END WHERE")
        for array in touched:
            self.bound(array)

    def forall(self):
        array = self.pick([a for a in self.arrays if a.type == INTEGER])
        indices = ["i", "j", "k"][:len(array.shape)]
        ranges = ", ".join("%s = %d:%d" % (i, low, low + n - 1) for i, low, n in zip(indices, array.lower, array.shape))
        subscripts = list(indices)
        if self.chance(0.2):
            self.random.shuffle(subscripts)  # where extents differ, this must not leave the bounds
            if [array.shape[indices.index(s)] for s in subscripts] != list(array.shape) or len(set(array.lower)) > 1:
                subscripts = list(indices)
        element = "%s(%s)" % (array.name, ", ".join(subscripts))
        terms = " + ".join("%d * %s" % (self.random.randint(1, 9), i) for i in indices)
        mask = ", MOD(%s, 2) .EQ. 0" % indices[0] if self.chance(0.3) else ""
        self.say("FORALL (%s%s) %s(%s) = %s + %s" % (ranges, mask, array.name, ", ".join(indices), element, terms))
        self.bound(array)

    def at(self, array, model, indices, axis, other):
        """An element of the array at the indices of a FORALL over the model, which has its shape; along the axis at `other`."""
        parts = []
        for a, (low, own, index) in enumerate(zip(array.lower, model.lower, indices)):
            moved = index if low == own else "%s %s %d" % (index, "+" if low > own else "-", abs(low - own))
            parts.append(other if a == axis else moved)
        return "%s(%s)" % (array.name, ", ".join(parts))

    def look_up(self):
        """Elements at subscripts that depend on data, along one axis, in the value or in the target."""
        target = self.pick(self.arrays)
        source, index = self.pick(self.of(target.type, target.shape)), self.pick(self.of(INTEGER, target.shape))
        indices = ["i", "j", "k"][:len(target.shape)]
        axis = self.random.randrange(len(target.shape))
        stores = len(target.shape) > 1 and self.chance(0.4)
        fixed = self.random.randrange(target.shape[axis])
        if stores:  # one element of each line along the axis
            indices[axis] = str(target.lower[axis] + fixed)
        selected = self.at(index, target, indices, axis if stores else None, str(index.lower[axis] + fixed))

        def place(array):
            return "MODULO(%s, %d) + (%d)" % (selected, target.shape[axis], array.lower[axis])

        fetched = str(source.lower[axis] + fixed) if stores and self.chance(0.5) else place(source)
        value = self.at(source, target, indices, axis, fetched)
        own = self.at(target, target, indices, axis, place(target))
        if target.type != LOGICAL and self.chance(0.4):
            value += " + " + (own if self.chance(0.5) else self.constant(target.type))
        element = own if stores else self.at(target, target, indices, None, None)
        ranges = ", ".join("%s = %d:%d" % (i, low, low + n - 1)
                           for i, low, n in zip(indices, target.lower, target.shape) if not i.lstrip("-").isdigit())
        mask = ", %s .GT. %d" % (selected, self.random.randint(-5, 9)) if self.chance(0.3) else ""
        self.say("FORALL (%s%s) %s = %s" % (ranges, mask, element, value))
        self.bound(target)

    def element(self):
        array = self.pick(self.arrays)
        place = ", ".join(str(low + self.random.randrange(n)) for low, n in zip(array.lower, array.shape))
        self.say("%s(%s) = %s" % (array.name, place, self.constant(array.type)))

    def loop(self):
        self.say("DO n%d = 1, %d" % (self.depth, self.random.randint(1, 3)))
        self.depth += 1
        self.statements(self.random.randint(1, 2))
        self.depth -= 1
        self.say("END DO")

    def branch(self):
        condition = self.scalar(LOGICAL)
        if condition is None:
            return
        self.say("IF (%s) THEN" % condition)
        self.depth += 1
        self.statements(1)
        self.depth -= 1
        self.say("ELSE")
        self.depth += 1
        self.statements(1)
        self.depth -= 1
        self.say("END IF")

    def call(self):
        pairs = [(a, b) for a in self.arrays for b in self.arrays
                 if a is not b and a.type == b.type and a.shape == b.shape and a.type in (REAL, DOUBLE)]
        if not pairs:
            return
        a, b = self.pick(pairs)
        first, second, shape = a.name, b.name, a.shape
        if self.chance(0.4):  # sections, which go back after the call
            ranges = self.ranges(a.shape)
            first, second = self.section(a, ranges), self.section(b, self.like(b.shape, ranges))
            shape = [count for _, count, _ in ranges]
        name = "sub%d" % len(self.units)
        self.units.append(self.unit(name, a.type, len(shape)))
        passed = "%s, %s, %s" % (first, second, ", ".join(str(n) for n in shape))
        if self.chance(0.3):  # by way of a subroutine that takes it as an argument
            self.externals.append(name)
            self.units.append(self.passer("via" + name, a.type, len(shape)))
            self.say("call via%s(%s, %s)" % (name, name, passed))
        else:
            self.say("call %s(%s)" % (name, passed))

    @staticmethod
    def passer(name, type_, rank):
        """A subroutine that calls its first argument with the others."""
        extents = ", ".join("n%d" % (i + 1) for i in range(rank))
        return "\n".join([
            "subroutine %s(sub, x, y, %s)" % (name, extents),
            "  external sub",
            "  integer %s" % extents,
            "  %s x(%s), y(%s)" % (type_, extents, extents),
            "  call sub(x, y, %s)" % extents,
            "end subroutine"])

    def unit(self, name, type_, rank):
        """A subroutine of two arrays whose bounds are its arguments."""
        extents = ", ".join("n%d" % (i + 1) for i in range(rank))
        bounds = extents if self.chance(0.6) else ", ".join("0:n%d - 1" % (i + 1) for i in range(rank))
        half = "0.5" if type_ == REAL else "0.5D0"
        shared = ["  integer times, most", "  common /shared/ times, most", "  times = times + 1",
                  "  most = MAX(most, COUNT(x .GT. y))"]
        keeps = self.chance(0.5)
        return "\n".join([
            "subroutine %s(x, y, %s)" % (name, extents),
            "  integer %s" % extents,
            "  %s x(%s), y(%s), t(%s)" % (type_, bounds, bounds, extents)] + (shared[:2] if keeps else []) + [
            "  t = CSHIFT(x, DIM=%d, SHIFT=%d)" % (self.random.randint(1, rank), self.random.randint(-2, 2)),
            "  y = %s * (t + y)" % half] + (shared[2:] if keeps else []) + [
            "  WHERE (x .GT. y) x = x - %s" % half,
            "end subroutine"])

    def until(self):
        """Halves an array until nothing is left of it."""
        array = self.pick([a for a in self.arrays if a.type == INTEGER])
        self.say("DO WHILE (ANY(ABS(%s) .GT. %d))" % (array.name, self.random.randint(0, 9)))
        self.say("  %s = %s / 2" % (array.name, array.name))
        self.say("  WHERE (MOD(%s, %d) .EQ. 0) %s = %s - SIGN(MIN(1, ABS(%s)), %s)"
                 % ((array.name, self.random.randint(2, 5)) + (array.name,) * 4))
        self.say("END DO")

    def statements(self, count):
        forms = [self.assign] * 5 + [self.where] * 2 + [self.look_up] * 2
        forms += [self.forall, self.element, self.call, self.scatter, self.locate, self.until]
        if self.depth < 2:
            forms += [self.loop, self.branch]
        for _ in range(count):
            self.pick(forms)()

    # ---- the whole ----

    def declare(self):
        for s in range(self.random.randint(1, 2)):
            rank = self.pick((1, 2, 2, 3))
            shape = tuple(self.pick((1, 2, 3, 4, 5, 8, 9, 16)) if rank > 1 else self.pick((1, 2, 7, 16, 33, 64))
                          for _ in range(rank))
            if s == 1 and self.chance(0.7):  # a shape that functions make of the other one, or take for it
                first = self.arrays[0].shape
                without = self.random.randrange(len(first))
                shape = first[::-1] if len(first) < 3 and self.chance(0.5) else first[:without] + first[without + 1:]
                shape = shape or first + (3,)
                rank = len(shape)
            orders = [self.pick(ORDERS) for _ in range(rank)]
            for t, type_ in enumerate(TYPES):
                for i in range(self.random.randint(1, 2)):
                    lower = [self.pick((1, 1, 1, 0, -3)) for _ in range(rank)]
                    array = Array("%s%d%d" % ("irdcl"[t], s, i), type_, shape, lower)
                    self.arrays.append(array)
                    if self.chance(0.5):
                        self.lines.append("  %s, array(%s) :: %s" % (type_, array.bounds(), array.name))
                    else:
                        self.lines.append("  %s %s(%s)" % (type_, array.name, array.bounds()))
                    if self.chance(0.1):
                        orders = [self.pick(ORDERS) for _ in range(rank)]
                    self.lines.append("!CMF$ LAYOUT %s(%s)" % (array.name, ", ".join(orders)))

    def begin(self):
        for array in self.arrays:
            if array.type == INTEGER:
                indices = ["i", "j", "k"][:len(array.shape)]
                ranges = ", ".join("%s = %d:%d" % (i, low, low + n - 1)
                                   for i, low, n in zip(indices, array.lower, array.shape))
                terms = " + ".join("%d * %s" % (self.random.randint(1, 30), i) for i in indices)
                self.say("FORALL (%s) %s(%s) = MOD(%s, %d)" % (ranges, array.name, ", ".join(indices), terms,
                                                               self.random.randint(5, 40)))
        for array in self.arrays:
            base = self.of(INTEGER, array.shape)[0].name
            if array.type == LOGICAL:
                self.say("%s = MOD(%s, %d) .EQ. 0" % (array.name, base, self.pick((2, 3))))
            elif array.type == COMPLEX:
                self.say("%s = CMPLX(0.25 * %s, 0.5 * %s)" % (array.name, base, base))
            elif array.type != INTEGER:
                self.say("%s = %s * %s" % (array.name, base, "0.125" if array.type == REAL else "0.3D0"))

    def text(self):
        self.lines = ["program random", "  integer i, j, k, n0, n1", "  integer loc1(1), loc2(2), loc3(3)",
                      "  integer times, most", "  common /shared/ times, most"]
        self.declare()
        self.begin()
        for rank in (1, 2, 3):
            self.say("loc%d = 0" % rank)
        self.say("times = 0")
        self.say("most = 0")
        self.statements(self.random.randint(4, 10))
        self.say("print *, loc1, loc2, loc3, times, most")
        for array in self.arrays:
            self.say("print *, '%s'" % array.name)
            self.say("print *, %s" % array.name)
        self.lines.append("end program")
        if self.externals:
            self.lines.insert(1, "  external " + ", ".join(self.externals))
        return "\n".join(self.lines + self.units) + "\n"
