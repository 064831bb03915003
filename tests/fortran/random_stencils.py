"""Random programs of statements with many shifts, as stencils have them: shifts of shifts, end-off shifts with boundaries, results over what is
read, sections at offsets, under masks and in groups. Most extents are powers of two, so that nodes have equal parts and -O2 reads in place."""

from random_program import COMPLEX, DOUBLE, INTEGER, LOGICAL, REAL, Array, Program


class Stencils(Program):
    def declare(self):
        shape = self.pick(((64,), (256,), (16, 8), (32, 16), (8, 64), (4, 4), (8, 8, 8), (16, 4, 2), (12, 8), (5, 16)))
        orders = [self.pick((":NEWS", ":NEWS", ":NEWS", ":SERIAL")) for _ in shape]
        for type_, count in ((INTEGER, 2), (REAL, 3), (DOUBLE, 2), (COMPLEX, 1), (LOGICAL, 2)):
            for i in range(count):
                array = Array("%s%d" % ("irdcl"[(INTEGER, REAL, DOUBLE, COMPLEX, LOGICAL).index(type_)], i), type_, shape,
                              [self.pick((1, 1, 0)) for _ in shape])
                self.arrays.append(array)
                self.lines.append("  %s, array(%s) :: %s" % (type_, array.bounds(), array.name))
                self.lines.append("!CMF$ LAYOUT %s(%s)" % (array.name, ", ".join(orders)))

    def shifted(self, array):
        text, steps = array.name, self.pick((0, 1, 1, 1, 2, 2, 3))
        for _ in range(steps):
            dim, by = self.random.randint(1, len(array.shape)), self.pick((-2, -1, -1, 0, 1, 1, 2, 5))
            if self.chance(0.75):
                text = "CSHIFT(%s, DIM=%d, SHIFT=%d)" % (text, dim, by)
            else:
                boundary = "" if self.chance(0.4) else ", BOUNDARY=%s" % self.constant(array.type)
                text = "EOSHIFT(%s, DIM=%d, SHIFT=%d%s)" % (text, dim, by, boundary)
        return text

    def term(self, type_, shape):
        of_type = self.of(type_, shape)
        text = self.shifted(self.pick(of_type[:1] if self.chance(0.6) else of_type))
        if type_ == LOGICAL:
            return self.pick(("%s", ".NOT. %s")) % text
        form = self.random.randrange(6)
        if form == 0:
            return "%s * %s" % (self.constant(type_), text)
        if form == 1:
            return "%s * %s" % (self.pick(of_type).name, text)
        if form == 2:
            return "%s * (%s - %s)" % (text, self.shifted(self.pick(of_type)), self.constant(type_))
        if form == 3 and type_ != COMPLEX:
            return "%s(%s, %s)" % (self.pick(("MIN", "MAX")), text, self.shifted(self.pick(of_type)))
        if form == 4 and type_ in (REAL, DOUBLE):
            return "%s / (2 + ABS(%s))" % (text, self.shifted(self.pick(of_type)))
        return text

    def sum(self, type_, shape):
        operators = (".AND.", ".OR.", ".NEQV.") if type_ == LOGICAL else ("+", "+", "-")
        text = self.pick(("", "-")) if type_ in (REAL, DOUBLE) else ""
        text += self.term(type_, shape)
        for _ in range(self.random.randint(1, 5)):
            text += " %s %s" % (self.pick(operators), self.term(type_, shape))
        return text

    def update(self):
        for array in [self.pick(self.arrays) for _ in range(self.random.randint(1, 3))]:
            self.say("%s = %s" % (array.name, self.sum(array.type, array.shape)))
        for array in self.arrays:
            self.bound(array)

    def masked(self):
        array = self.pick(self.arrays)
        self.say("WHERE (%s)" % self.sum(LOGICAL, array.shape))
        self.say("  %s = %s" % (array.name, self.sum(array.type, array.shape)))
        self.say("END WHERE")
        self.bound(array)

    def inner(self):
        """A section of all but some elements at the ends, from sections at offsets."""
        array = self.pick(self.arrays)
        if min(array.shape) < 4 or array.type == LOGICAL:
            return
        ranges = [(1, n - 2, 1) for n in array.shape]
        text = self.section(array, ranges)
        parts = []
        for _ in range(self.random.randint(1, 4)):
            other = self.pick(self.of(array.type, array.shape))
            parts.append(self.section(other, [(first + self.pick((-1, 0, 0, 1)), n, 1) for first, n, _ in ranges]))
        self.say("%s = %s" % (text, " + ".join(parts)))
        self.bound(array)

    def statements(self, count):
        for _ in range(count):
            self.pick([self.update] * 3 + [self.masked, self.inner])()
