"""A method for each instruction of an IMP. Written by scripts/reference, from isa/isa.def."""

from __future__ import annotations

from typing import TypeVar, Union

from .made import Lines

M = TypeVar("M", bound="Mnemonics")
Operand = Union[int, str]


class Mnemonics(Lines):
    """The instructions. docs/imp.md describes them."""

    def halt(self: M) -> M:
        """end of the IMP."""
        return self.instruction("halt")

    def next(self: M, label: Operand) -> M:
        """end of the innermost loop; LABEL is its loop instruction."""
        return self.instruction("next", label)

    def aset(self: M, reg: Operand, imm: Operand) -> M:
        """REG = IMM."""
        return self.instruction("aset", reg, imm)

    def aadd(self: M, reg: Operand, imm: Operand) -> M:
        """REG = REG + IMM."""
        return self.instruction("aadd", reg, imm)

    def acopy(self: M, first_reg: Operand, second_reg: Operand, imm: Operand) -> M:
        """REG = second REG + IMM."""
        return self.instruction("acopy", first_reg, second_reg, imm)

    def aarg(self: M, reg: Operand, arg: Operand) -> M:
        """REG = address argument ARG."""
        return self.instruction("aarg", reg, arg)

    def load(self: M, slot: Operand, mem: Operand) -> M:
        """transposer slot = memory word."""
        return self.instruction("load", slot, mem)

    def unload(self: M, mem: Operand, slot: Operand) -> M:
        """memory word = transposer slot."""
        return self.instruction("unload", mem, slot)

    def loadi(self: M, trans: Operand, first_mem: Operand, second_mem: Operand, field: Operand, half: Operand) -> M:
        """transposer slot = memory word (first MEM); each node takes the slot from byte FIELD of its own communication
            table word (second MEM), with HALF 1 the same channel of the other set."""
        return self.instruction("loadi", trans, first_mem, second_mem, field, half)

    def unloadi(self: M, first_mem: Operand, trans: Operand, second_mem: Operand, field: Operand, half: Operand) -> M:
        """memory word = transposer slot, the slot as in loadi."""
        return self.instruction("unloadi", first_mem, trans, second_mem, field, half)

    def const(self: M, slot: Operand, word: Operand) -> M:
        """transposer slot = WORD, in all nodes."""
        return self.instruction("const", slot, word)

    def bcast(self: M, slot: Operand, sarg: Operand, slice: Operand) -> M:
        """transposer slot = slice SLICE of scalar argument SARG."""
        return self.instruction("bcast", slot, sarg, slice)

    def exchange(self: M) -> M:
        """every channel carries its slot of A to the same slot of B in the neighbour; A 0 goes to B 16 and A 16 to B 0 of
            the same node over the chip-to-chip wire."""
        return self.instruction("exchange")

    def move(self: M, first_mem: Operand, second_mem: Operand, count: Operand, first_stride: Operand, second_stride: Operand) -> M:
        """COUNT times: first MEM = second MEM; then both advance, each by its stride."""
        return self.instruction("move", first_mem, second_mem, count, first_stride, second_stride)

    def fload32(self: M, freg: Operand, mem: Operand) -> M:
        """FREG = one word."""
        return self.instruction("fload32", freg, mem)

    def fload64(self: M, freg: Operand, mem: Operand) -> M:
        """FREG = two words, the low half first."""
        return self.instruction("fload64", freg, mem)

    def fstore32(self: M, mem: Operand, freg: Operand) -> M:
        """one word = FREG."""
        return self.instruction("fstore32", mem, freg)

    def fstore64(self: M, mem: Operand, freg: Operand) -> M:
        """two words, the low half first, = FREG."""
        return self.instruction("fstore64", mem, freg)

    def fscal32(self: M, freg: Operand, sarg: Operand) -> M:
        """FREG = scalar argument SARG, broadcast by the front end."""
        return self.instruction("fscal32", freg, sarg)

    def fscal64(self: M, freg: Operand, sarg: Operand) -> M:
        """FREG = scalar argument SARG, broadcast by the front end."""
        return self.instruction("fscal64", freg, sarg)

    def fadd32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second + third."""
        return self.instruction("fadd32", first_freg, second_freg, third_freg)

    def fadd64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second + third."""
        return self.instruction("fadd64", first_freg, second_freg, third_freg)

    def fsub32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second - third."""
        return self.instruction("fsub32", first_freg, second_freg, third_freg)

    def fsub64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second - third."""
        return self.instruction("fsub64", first_freg, second_freg, third_freg)

    def fmul32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second * third."""
        return self.instruction("fmul32", first_freg, second_freg, third_freg)

    def fmul64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second * third."""
        return self.instruction("fmul64", first_freg, second_freg, third_freg)

    def fma32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand, fourth_freg: Operand) -> M:
        """first = second * third + fourth; product and sum are rounded each."""
        return self.instruction("fma32", first_freg, second_freg, third_freg, fourth_freg)

    def fma64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand, fourth_freg: Operand) -> M:
        """first = second * third + fourth; product and sum are rounded each."""
        return self.instruction("fma64", first_freg, second_freg, third_freg, fourth_freg)

    def iadd(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second + third, 32-bit integers, modulo 2^32."""
        return self.instruction("iadd", first_freg, second_freg, third_freg)

    def isub(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second - third, 32-bit integers, modulo 2^32."""
        return self.instruction("isub", first_freg, second_freg, third_freg)

    def imul(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second * third, 32-bit integers, modulo 2^32."""
        return self.instruction("imul", first_freg, second_freg, third_freg)

    def ctxall(self: M) -> M:
        """context = set, in every node."""
        return self.instruction("ctxall")

    def ctxload(self: M, mem: Operand, bit: Operand) -> M:
        """context = bit BIT of the memory word."""
        return self.instruction("ctxload", mem, bit)

    def ctxand(self: M, mem: Operand, bit: Operand) -> M:
        """context = context and bit BIT of the memory word."""
        return self.instruction("ctxand", mem, bit)

    def ctxnot(self: M) -> M:
        """context = not context."""
        return self.instruction("ctxnot")

    def fdiv32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second / third, rounded to nearest."""
        return self.instruction("fdiv32", first_freg, second_freg, third_freg)

    def fdiv64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second / third, rounded to nearest."""
        return self.instruction("fdiv64", first_freg, second_freg, third_freg)

    def fsqrt32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = square root of second, rounded to nearest."""
        return self.instruction("fsqrt32", first_freg, second_freg)

    def fsqrt64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = square root of second, rounded to nearest."""
        return self.instruction("fsqrt64", first_freg, second_freg)

    def fneg32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second with its sign inverted."""
        return self.instruction("fneg32", first_freg, second_freg)

    def fneg64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second with its sign inverted."""
        return self.instruction("fneg64", first_freg, second_freg)

    def fabs32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second with its sign cleared."""
        return self.instruction("fabs32", first_freg, second_freg)

    def fabs64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second with its sign cleared."""
        return self.instruction("fabs64", first_freg, second_freg)

    def fmin32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second if second < third, else third."""
        return self.instruction("fmin32", first_freg, second_freg, third_freg)

    def fmin64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second if second < third, else third."""
        return self.instruction("fmin64", first_freg, second_freg, third_freg)

    def fmax32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second if second > third, else third."""
        return self.instruction("fmax32", first_freg, second_freg, third_freg)

    def fmax64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second if second > third, else third."""
        return self.instruction("fmax64", first_freg, second_freg, third_freg)

    def imin(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = the lesser of second and third, signed 32-bit integers."""
        return self.instruction("imin", first_freg, second_freg, third_freg)

    def imax(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = the greater of second and third, signed 32-bit integers."""
        return self.instruction("imax", first_freg, second_freg, third_freg)

    def idiv(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second / third, signed 32-bit integers, truncated, modulo 2^32; division by 0 gives 0."""
        return self.instruction("idiv", first_freg, second_freg, third_freg)

    def imod(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = what idiv leaves of second, with the sign of second; division by 0 gives 0."""
        return self.instruction("imod", first_freg, second_freg, third_freg)

    def iand(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second and third, bit by bit."""
        return self.instruction("iand", first_freg, second_freg, third_freg)

    def ior(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second or third, bit by bit."""
        return self.instruction("ior", first_freg, second_freg, third_freg)

    def ixor(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second exclusive or third, bit by bit."""
        return self.instruction("ixor", first_freg, second_freg, third_freg)

    def ishl(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second shifted left by third, an unsigned count; 0 from 32 on."""
        return self.instruction("ishl", first_freg, second_freg, third_freg)

    def ishr(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second shifted right by third, an unsigned count; 0 from 32 on."""
        return self.instruction("ishr", first_freg, second_freg, third_freg)

    def isar(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second shifted right by third, an unsigned count, the sign shifted in; the sign from 32 on."""
        return self.instruction("isar", first_freg, second_freg, third_freg)

    def feq32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first = second; a NaN compares false."""
        return self.instruction("feq32", first_freg, second_freg)

    def flt32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first < second; a NaN compares false."""
        return self.instruction("flt32", first_freg, second_freg)

    def fle32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first <= second; a NaN compares false."""
        return self.instruction("fle32", first_freg, second_freg)

    def feq64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first = second; a NaN compares false."""
        return self.instruction("feq64", first_freg, second_freg)

    def flt64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first < second; a NaN compares false."""
        return self.instruction("flt64", first_freg, second_freg)

    def fle64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first <= second; a NaN compares false."""
        return self.instruction("fle64", first_freg, second_freg)

    def ieq(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first = second, signed 32-bit integers."""
        return self.instruction("ieq", first_freg, second_freg)

    def ilt(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first < second, signed 32-bit integers."""
        return self.instruction("ilt", first_freg, second_freg)

    def ile(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """context = first <= second, signed 32-bit integers."""
        return self.instruction("ile", first_freg, second_freg)

    def ctxsave(self: M, freg: Operand) -> M:
        """FREG = 1 where the context is set, else 0."""
        return self.instruction("ctxsave", freg)

    def ctxrest(self: M, freg: Operand) -> M:
        """context = FREG is not 0."""
        return self.instruction("ctxrest", freg)

    def ctxandr(self: M, freg: Operand) -> M:
        """context = context and FREG is not 0."""
        return self.instruction("ctxandr", freg)

    def fsel32(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second where the context is set, else third."""
        return self.instruction("fsel32", first_freg, second_freg, third_freg)

    def fsel64(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """first = second where the context is set, else third."""
        return self.instruction("fsel64", first_freg, second_freg, third_freg)

    def i2f32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second, a signed 32-bit integer, as a 32-bit floating-point number, rounded to nearest."""
        return self.instruction("i2f32", first_freg, second_freg)

    def i2f64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second, a signed 32-bit integer, as a 64-bit floating-point number."""
        return self.instruction("i2f64", first_freg, second_freg)

    def f2i32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second, truncated to a signed 32-bit integer; -2^31 if it is NaN or out of range."""
        return self.instruction("f2i32", first_freg, second_freg)

    def f2i64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first = second, truncated to a signed 32-bit integer; -2^31 if it is NaN or out of range."""
        return self.instruction("f2i64", first_freg, second_freg)

    def f32to64(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first, 64 bits = second, 32 bits."""
        return self.instruction("f32to64", first_freg, second_freg)

    def f64to32(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """first, 32 bits = second, 64 bits, rounded to nearest."""
        return self.instruction("f64to32", first_freg, second_freg)

    def fhigh(self: M, first_freg: Operand, second_freg: Operand) -> M:
        """low half of first = high half of second."""
        return self.instruction("fhigh", first_freg, second_freg)

    def fjoin(self: M, first_freg: Operand, second_freg: Operand, third_freg: Operand) -> M:
        """low half of first = low half of second, high half of first = low half of third."""
        return self.instruction("fjoin", first_freg, second_freg, third_freg)

    def fconst(self: M, freg: Operand, word: Operand) -> M:
        """FREG = WORD, in all nodes."""
        return self.instruction("fconst", freg, word)

    def nodeid(self: M, freg: Operand) -> M:
        """FREG = the node's own number."""
        return self.instruction("nodeid", freg)

    def floadx32(self: M, first_freg: Operand, mem: Operand, second_freg: Operand, count: Operand) -> M:
        """first FREG = the word at MEM plus the second FREG, an unsigned number of words below COUNT that each node has
            for itself; 0 where the context is clear."""
        return self.instruction("floadx32", first_freg, mem, second_freg, count)

    def floadx64(self: M, first_freg: Operand, mem: Operand, second_freg: Operand, count: Operand) -> M:
        """first FREG = two words, the low half first, at the address of floadx32; the second word is below COUNT too."""
        return self.instruction("floadx64", first_freg, mem, second_freg, count)

    def fstorex32(self: M, mem: Operand, first_freg: Operand, second_freg: Operand, count: Operand) -> M:
        """the word at MEM plus the second FREG, as in floadx32, = first FREG."""
        return self.instruction("fstorex32", mem, first_freg, second_freg, count)

    def fstorex64(self: M, mem: Operand, first_freg: Operand, second_freg: Operand, count: Operand) -> M:
        """two words, the low half first, at the address of fstorex32, = first FREG."""
        return self.instruction("fstorex64", mem, first_freg, second_freg, count)
