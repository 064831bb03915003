"""Random programs that assign arrays which they read through several shifts, with so little node memory that temporary arrays do not fit.
The statements then store their results in order, or in bands. The arrays are filled element by element, because a FORALL would
take node memory for tables of indices."""

from random_program import COMPLEX, DOUBLE, INTEGER, LOGICAL, REAL, Array
from random_stencils import Stencils

WORDS = {INTEGER: 1, REAL: 1, LOGICAL: 1, DOUBLE: 2, COMPLEX: 2}


class Onto(Stencils):
    def __init__(self, seed):
        super().__init__(seed)
        self.nodes = self.pick((1, 2, 4))
        self.masks = self.padded = False

    def declare(self):
        shape = self.pick(((4096,), (8192,), (64, 64), (32, 128), (128, 16), (16, 16, 16), (8, 8, 64), (4, 4, 16, 16),
                           (4081,), (1021, 8)))
        self.padded = shape[0] % 4 > 0
        self.nodes = 4 if self.padded else self.nodes  # the padding has three places, which take distances of 1
        orders = [self.pick((":NEWS", ":NEWS", ":NEWS", ":SERIAL")) for _ in shape[1:]] + [":NEWS"]
        type_ = self.pick((INTEGER, INTEGER, REAL, REAL, DOUBLE, COMPLEX, LOGICAL))
        for i in range(self.random.randint(1, 2)):
            array = Array("a%d" % i, type_, shape, [self.pick((1, 1, 0)) for _ in shape])
            self.arrays.append(array)
            self.lines.append("  %s, array(%s) :: %s" % (type_, array.bounds(), array.name))
            self.lines.append("!CMF$ LAYOUT %s(%s)" % (array.name, ", ".join(orders)))

    def begin(self):
        for array in self.arrays:
            names = ["i1", "i2", "i3", "i4"][:len(array.shape)]
            for name, low, n in zip(names, array.lower, array.shape):
                self.say("do %s = %d, %d" % (name, low, low + n - 1))
            number = "MOD(%s, %d)" % (" + ".join("%d * %s" % (self.random.randint(1, 90), name) for name in names),
                                      self.random.randint(5, 900))
            value = {INTEGER: number, REAL: "%s * 0.125" % number, DOUBLE: "%s * 0.3D0" % number,
                     COMPLEX: "CMPLX(0.25 * %s, 0.5)" % number, LOGICAL: "MOD(%s, 3) .EQ. 0" % number}[array.type]
            self.say("%s(%s) = %s" % (array.name, ", ".join(names), value))
            for _ in names:
                self.say("end do")

    def shifted(self, array):
        text = array.name
        for dim in self.random.sample(range(len(array.shape)), min(self.pick((0, 1, 1, 1, 1, 2)), len(array.shape))):
            far = self.random.randint(-array.shape[dim] // 4, array.shape[dim] // 4)
            by = self.pick((-1, 1) if self.padded and dim == 0 else (-2, -1, -1, 1, 1, 2, 3, far))
            if not self.chance(0.3):
                text = "CSHIFT(%s, DIM=%d, SHIFT=%d)" % (text, dim + 1, by)
            else:
                boundary = "" if text != array.name or self.chance(0.6) else ", BOUNDARY=%s" % self.constant(array.type)
                text = "EOSHIFT(%s, DIM=%d, SHIFT=%d%s)" % (text, dim + 1, by, boundary)
        return text

    def masked(self):
        array = self.pick(self.arrays)
        if array.type in (LOGICAL, COMPLEX):
            return
        self.masks = True
        self.say("WHERE (%s .GT. %s)" % (array.name, self.shifted(array)))
        self.say("  %s = %s" % (array.name, self.sum(array.type, array.shape)))
        if self.chance(0.3):
            self.say("ELSEWHERE")
            self.say("  %s = %s" % (array.name, self.sum(array.type, array.shape)))
        self.say("END WHERE")
        self.bound(array)

    def statements(self, count):
        for _ in range(self.random.randint(2, 4)):
            self.pick((self.update, self.update, self.masked, self.inner))()

    def text(self):
        self.lines = ["program random", "  integer i1, i2, i3, i4"]
        self.declare()
        self.begin()
        self.statements(0)
        for array in self.arrays:
            self.say("print *, %s" % array.name)
        self.lines.append("end program")
        return "\n".join(self.lines) + "\n"

    def memory(self):
        """Words of node memory: the arrays, masks, and mostly less than another array."""
        elements = 1
        for n in self.arrays[0].shape:
            elements *= n
        local, words = elements * 17 // 16 // self.nodes, WORDS[self.arrays[0].type]
        free = 1200 + self.random.randint(local * words * 3 // 4, local * words * 5 // 4)
        return 176 + len(self.arrays) * local * words + (2 * local if self.masks else 0) + free
