"""The printer of LLVM IR: writes a native loop as a function over the memory of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.runtime.ir.graph import Atom, Equation, Graph, Value, binders
from autograph.runtime.ir.regions import Branch, as_branch, as_loop
from autograph.runtime.native.array_code import ArrayCode
from autograph.runtime.native.array_rules import ARRAY, ASTYPE, IMAG, NEW, REAL, WHERE
from autograph.runtime.native.builder import is_constant, known
from autograph.runtime.native.carried_elements import reads_neighbours
from autograph.runtime.native.cotangents import ON_COTANGENTS, write_cotangent
from autograph.runtime.native.entry import BOX, RESULT, add_entry, has_flag, parameters
from autograph.runtime.native.facts import Facts
from autograph.runtime.native.forms import on_numbers
from autograph.runtime.native.ground import Ground, moving_in
from autograph.runtime.native.inference import NativeLoop
from autograph.runtime.native.instructions import EXACT, Instructions, constant
from autograph.runtime.native.int_ranges import int_ranges
from autograph.runtime.native.kinds import (
    FLOAT,
    IN_NUMPY,
    INT,
    Array,
    Kind,
    Nothing,
    Number,
    static_shape,
)
from autograph.runtime.native.llvm_ir import (
    BIT,
    I32,
    I64,
    STRICT,
    Function,
    Literal,
    Module,
    undefined,
    word,
)
from autograph.runtime.native.llvm_values import Chain, Memory, Progression, Register
from autograph.runtime.native.loop_entry import entry_text, form_of
from autograph.runtime.native.loop_nest import users_line
from autograph.runtime.native.loops import POLL, Loops
from autograph.runtime.native.machine import RAISED
from autograph.runtime.native.names import BOUND, ON_NAMES
from autograph.runtime.native.operators import (
    called,
    common,
    is_class_of_numbers,
    numbers_of,
)
from autograph.runtime.native.python_math import is_in_math, write_math
from autograph.runtime.native.ranges import SIZES
from autograph.runtime.native.small_branches import is_small
from autograph.runtime.native.stack_rules import ON_STACKS
from autograph.runtime.native.stacks import Stacks
from autograph.runtime.native.strict_floats import llvm_type
from autograph.runtime.ops.adjoints import MASKED_PRODUCT
from autograph.runtime.ops.indexing import SETITEM
from autograph.runtime.ops.python import (
    LEN,
    MAX,
    MIN,
    NOT,
    RANGE,
    SELECT,
    TO_COMPLEX,
    TO_FLOAT,
    TO_INT,
    TRUTH,
)
from autograph.runtime.ops.stores import STORED_INTO
from autograph.runtime.ops.views import UPDATE_VIEW


def to_llvm(native: NativeLoop, packed: bool = False) -> str:
    """Returns the text of a module with `kernel`, which takes the objects and numbers of
    `native.inputs`, then an array for the results; it returns 1 where the loop has to run in
    another way. `packed`: it is for arrays in C order without gaps, and gives `GAPS` for others."""
    body = _written(native, packed)
    add_entry(native, body.module, body.i.function, len(body.rooms), body.i.lanes.signals)
    return str(body.module)


def loop_and_entry(native: NativeLoop) -> tuple[str, str]:
    """Returns the texts of two modules: `loop`, for arrays in C order without gaps, and `kernel`,
    the function of Python's that calls it."""
    body = _written(native, True)
    form = form_of(native, len(body.rooms), body.i.lanes.signals)
    return str(body.module), entry_text(form)


def _written(native: NativeLoop, packed: bool) -> _Body:
    module = Module("loop")
    function = Function(module, I32, parameters(native, as_parts=True), "loop", STRICT)
    body = _Body(native, module, function, packed)
    body.build()
    return body


class _Body(ArrayCode, Loops, Stacks):
    """Writes the loop."""

    def __init__(self, native: NativeLoop, module: Module, function: Function, packed: bool
                 ) -> None:
        super().__init__()
        self.native = native
        self.module = module
        self.packed = packed
        self.products = native.products
        self.ran: dict[Equation, Any] = {}
        self.i = Instructions(module, function, may_signal=packed)
        self.values: dict[Value, Any] = {}
        self.ground = Ground(moving_in(native.graph, native.kind))
        self.facts = Facts(native.graph, native.kind)
        self.int_ranges, self.assumed = int_ranges(native.graph, native.kind, self.facts, packed)
        self.uses.update(native.outputs)
        for e in native.graph.walk():
            self.uses.update(set(e.inputs))
            self.uses.update(v for region in e.regions for v in region.outputs
                             if isinstance(v, Value))
        self.ticks = self.i.stack(I64)
        self.i.entry_builder.store(Literal(I64, POLL), self.ticks)

    def build(self) -> None:
        arguments = list(self.i.function.args)
        for v in self.native.inputs:
            kind = self.native.kinds[v]
            if isinstance(kind, Array):
                found = [arguments.pop(0) for _ in range(1 + 2 * kind.rank)]
                self.values[v] = self.given(v, kind, *found)
            elif isinstance(kind, Number):
                self.values[v] = Register(arguments.pop(0), self.i.builder.trunc(
                    arguments.pop(0), BIT) if has_flag(kind) else None)
            else:
                numbers = self.native.numbers.get(v, (None,) * 3)
                self.values[v] = Progression(*[x if n is None else word(n) for x, n in zip(
                    [arguments.pop(0) for _ in range(3)], numbers, strict=True)])
        self.heap = arguments.pop()
        made = [arguments.pop() for _ in self.native.new_results()][::-1]
        self.i.function.alone.update(made)
        loops = filter(None, map(as_loop, self.native.graph.walk()))
        if any(reads_neighbours(loop, self.kind_of) for loop in loops):
            self.i.function.alone.clear()
        if self.native.on_arrays:
            for x in self.values.values():
                if isinstance(x, Memory):
                    self.in_order(x)
        for k, data in zip(self.native.new_results(), made, strict=True):
            if (memory := self.native.made_between(k)) is not None:
                self.placed[memory] = data
        for e in self.native.after.values():
            self.ran[e] = self.i.stack(BIT)
            self.i.entry_builder.store(Literal(BIT, 0), self.ran[e])
        self.enter_stacks()
        self.region(self.native.graph)
        self.new_results(made)
        self.results(arguments.pop(0))
        with self.i.builder.goto_block(self.i.entry_builder.block):
            self.ground.make(self.i, lambda: self.room("ground"))

    def given(self, v: Value, kind: Array, data: Any, *sizes: Any) -> Memory:
        """Returns an array from outside, whose sizes and strides are checked once."""
        if v in self.native.written:
            self.i.function.alone.add(data)
        dims, strides = list(sizes[:kind.rank]), sizes[kind.rank:]
        for k, n in enumerate(static_shape(v) or ()):
            self.i.require(self.i.builder.icmp_signed("==", dims[k], word(n)))
            dims[k] = word(n)
        for n in dims:
            if known(n) is None:
                self.i.in_range(n, *SIZES)
        wanted = self.sizes(kind.dtype, tuple(dims))[1]
        if self.packed:
            for n, found, stride in zip(dims, strides, wanted, strict=True):
                if not is_constant(n, 1):
                    self.i.require(self.i.builder.icmp_signed("==", found, stride), self.i.gaps)
        return Memory(data, tuple(dims), wanted if self.packed else strides, kind.dtype)

    def new_results(self, made: list[Any]) -> None:
        """Copies the arrays that are new to where Python has them. Where a loop did not run, they
        may be objects from outside: the kernel leaves."""
        for k, data in zip(self.native.new_results(), made, strict=True):
            v = self.native.outputs[k]
            x: Memory = self.of(v)
            if x.data is data:
                continue
            if v in self.native.after:
                self.i.require(self.i.builder.load(self.ran[self.native.after[v]], typ=BIT))
            shape = self.native.shape_of(v)
            for n, size in zip(shape, x.dims, strict=True):
                self.i.require(self.i.builder.icmp_signed("==", size, word(n)))
            _, strides = self.sizes(x.dtype, x.dims)
            self.assign(Memory(data, x.dims, strides, x.dtype), x)

    def results(self, out: Any) -> None:
        """Writes the results: two words for each number, and one for its box."""
        builder = self.i.builder
        for k, v in enumerate(self.native.outputs):
            kind = self.native.kinds[v]
            if not isinstance(kind, Number):
                continue
            register = self.of(v)
            as_it_is = kind.dtype.itemsize == 8 or kind.dtype.kind == "c"
            wide = register.value if as_it_is else self.i.convert(
                register.value, kind.dtype, FLOAT if kind.dtype.kind == "f" else INT)
            at = RESULT * k
            for number, value in ((at, wide), (at + BOX, self.flag(register, kind))):
                where = builder.at(out, word(8 * number))
                builder.store(builder.zext(value, I64) if value.type == BIT else value, where)
        pending = builder.load(self.i.forget, typ=I32)
        builder.ret(builder.shl(pending, Literal(I32, RAISED)))

    # -- operands ----------------------------------------------------------------------------------

    def of(self, atom: Atom) -> Any:
        if isinstance(atom, Value):
            x = self.values[atom]
            if isinstance(x, Chain):
                self.waiting.pop(atom, None)
                x = self.values[atom] = self.done(atom, x)
            return x
        kind = self.native.kind(atom)
        if isinstance(kind, Number):
            return Register(constant(atom, kind.dtype))
        if isinstance(kind, Nothing):
            return Register()
        return Progression(*[Literal(I64, n) for n in (atom.start, atom.stop, atom.step)])

    def as_type(self, atom: Atom, dtype: np.dtype[Any]) -> Any:
        """Returns a number, converted; an int of Python's becomes a float64 first, as in NumPy."""
        kind, x = self.kind(atom), self.of(atom).value
        if not isinstance(atom, Value) and dtype == FLOAT and kind.dtype.kind in "biuf":
            return constant(atom, FLOAT)
        if kind.dtype == INT and kind.box != IN_NUMPY and dtype.kind in "fc":
            return self.i.convert(self.i.convert(x, INT, FLOAT), FLOAT, dtype)
        return self.i.convert(x, kind.dtype, dtype)

    def cast(self, atom: Atom, dtype: np.dtype[Any]) -> Any:
        """Returns a number as a class of NumPy's takes it: ints of its own wrap around, Python's
        have to fit."""
        kind = self.kind(atom)
        if kind.box == IN_NUMPY and kind.dtype.kind in "iu" and dtype.kind in "iu":
            return self.i.lanes.cast(self.of(atom).value, kind.dtype, dtype)
        return self.as_type(atom, dtype)

    def stored(self, atom: Atom, dtype: np.dtype[Any]) -> Any:
        """Returns a number as a store takes it: into signed ints all have to fit."""
        return self.as_type(atom, dtype) if dtype.kind == "i" else self.cast(atom, dtype)

    def kind_of(self, atom: Atom) -> Kind:
        return self.native.kind(atom)

    def truth(self, atom: Atom) -> Any:
        return self.i.truth(self.of(atom).value, self.kind(atom).dtype)

    def joined_flag(self, kind: Number, flags: list[Any]) -> Any:
        """Returns the flag of a result that is NumPy's if any operand is."""
        if len(kind.box) == 1:
            return None
        found = flags[0]
        for flag in flags[1:]:
            found = self.i.builder.or_(found, flag)
        return found

    # -- equations ---------------------------------------------------------------------------------

    def region(self, graph: Graph) -> None:
        self.equations(graph.equations)

    def equations(self, equations: list[Equation]) -> None:
        outer, self.spent = self.spent, 0
        for e in equations:
            if e.regions or e.op in (SETITEM, UPDATE_VIEW, STORED_INTO):
                self.do_waiting(e.args[2] if e.op in (SETITEM, UPDATE_VIEW) else None)
            self.i.deferred.waits = e in self.later
            with self.i.builder.plainly(e in self.plain, self.leave(e)):
                self.equation(e)
            self.i.deferred.waits = False
        self.do_waiting()
        if self.spent:
            self.pass_by(word(self.spent))
        self.spent = outer

    def leave(self, e: Equation) -> str:
        """Returns what LLVM may change in a plain operation."""
        if not self.native.fast:
            return ""
        return " reassoc contract" if e in self.unordered else " contract"

    def equation(self, e: Equation) -> None:
        if e.location is not None:
            self.i.builder.comment(users_line(e.location))
        if e.outputs and e.outputs[0] in self.tested:
            self.values[e.outputs[0]] = self.values[self.tested[e.outputs[0]]]
        elif (loop := as_loop(e)) is not None:
            self.loop(loop)
        elif (branch := as_branch(e)) is not None:
            self.branch(branch)
        elif e.op in ON_NAMES:
            self.name(e)
        elif e.op.effect == "raise":
            self.raising(e)
        elif e.op in (SETITEM, UPDATE_VIEW):
            self.store(e)
        elif e.op in NEW or e.op is ARRAY or any(
                isinstance(a, Value) and isinstance(self.kind_of(a), Array) for a in e.args):
            self.on_arrays(e)
            if e.outputs[0] in self.int_ranges:
                self.enter_range(e.outputs[0], self.of(e.outputs[0]).value)
        elif e.op in ON_STACKS:
            self.on_stacks(e)
        elif e.op is RANGE:
            self.values[e.outputs[0]] = self.progression([self.as_type(a, INT) for a in e.args])
        elif e.op is LEN:
            self.values[e.outputs[0]] = Register(self.length(self.of(e.args[0])))
        elif e.op in ON_COTANGENTS:
            self.cotangent(e, self.kind(e.outputs[0]))
        else:
            kind = self.kind(e.outputs[0])
            flags = [self.flag(self.of(a), self.kind(a)) for a in numbers_of(e)]
            made = self.values[e.outputs[0]] = Register(*self.number(e, kind, flags))
            if not self.i.deferred.waits:
                self.enter_range(e.outputs[0], made.value)

    def raising(self, e: Equation) -> None:
        """Leaves the kernel: the loop raises when it runs in another way."""
        after = self.i.block("unreached")
        self.i.builder.branch(self.i.fail)
        self.i.builder.position_at_end(after)
        for out in e.outputs:
            kind = self.kind(out)
            self.values[out] = Register(undefined(llvm_type(kind.dtype)))

    def name(self, e: Equation) -> None:
        """Reads a name: leaves the kernel if it is not bound, unless it is known to be."""
        x: Register = self.of(e.args[0])
        if e.op is BOUND and x.bound is not None:
            self.i.require(x.bound)
        self.values[e.outputs[0]] = Register(x.value, x.flag)
        self.enter_range(e.outputs[0], x.value)

    def number(self, e: Equation, kind: Number, flags: list[Any]) -> tuple[Any, Any]:
        """Returns the number that an equation gives, and its flag."""
        op, args, builder = e.op, e.args, self.i.builder
        if op is NOT:
            return builder.not_(self.truth(args[0])), None
        if op is TRUTH:
            return self.truth(args[0]), None
        if op in (TO_INT, TO_FLOAT):
            return self.as_type(args[0], kind.dtype), None
        if op is REAL and kind == self.kind(args[0]):
            return self.of(args[0]).value, flags[0]
        if op in (REAL, IMAG):
            return builder.extract_value(self.of(args[0]).value, int(op is IMAG)), flags[0]
        if op is TO_COMPLEX:
            parts = [self.as_type(a, FLOAT) for a in args]
            return builder.pair(*parts, *[constant(0, FLOAT)] * (2 - len(parts))), None
        if is_class_of_numbers(op) or op is ASTYPE:
            return self.cast(args[0], kind.dtype), None
        if op in (MIN, MAX):
            found, *others = ((self.of(x).value, flag) for x, flag in zip(args, flags, strict=True))
            for other in others:
                sign = "<" if op is MIN else ">"
                better = self.i.lanes.is_chosen(sign, kind.dtype, other[0], found[0])
                found = self.chosen(kind, better, other, found)
            return found
        if is_in_math(op):
            return write_math(self.i, op, [self.as_type(a, FLOAT) for a in args]), None
        if op is WHERE:
            yes, no = (self.as_type(a, kind.dtype) for a in args[1:])
            return builder.select(self.truth(args[0]), yes, no), None
        if op is SELECT:
            yes, no = (self.of(x).value for x in args[1:])
            return self.chosen(kind, self.truth(args[0]), (yes, flags[1]), (no, flags[2]))
        kinds = [self.kind(a) for a in args]
        if not op.dunder:
            dtypes = called(op.ufunc, kinds)
            operands = [self.as_type(a, d) for a, d in zip(args, dtypes, strict=False)]
            return self.i.call_ufunc(op.ufunc, operands, dtypes), None
        self.exact_ints(e)
        dtype = common(op.ufunc, kinds).dtype
        operands = [self.as_type(a, dtype) for a in args]
        made = self.added(e, *operands) if e in self.summed else None
        if made is None:
            made = on_numbers(self.i, op.ufunc, dtype, *operands, of_numpy=kind.box == IN_NUMPY)
        return made, self.joined_flag(kind, flags)

    def cotangent(self, e: Equation, kind: Number) -> None:
        operands = [self.as_type(a, kind.dtype)
                    for a in e.args[:1 + (e.op is MASKED_PRODUCT)]]
        self.values[e.outputs[0]] = Register(write_cotangent(self.i, e, kind, operands))

    def chosen(self, kind: Number, test: Any, yes: Any, no: Any) -> tuple[Any, Any]:
        """Returns one of two numbers, and its flag."""
        select = self.i.builder.select
        flag = None if len(kind.box) == 1 else select(test, yes[1], no[1])
        return select(test, yes[0], no[0]), flag

    def exact_ints(self, e: Equation) -> None:
        """Leaves the kernel where Python computes with ints that are not exact as floats.

        Python divides and compares them exactly; NumPy makes floats of them first.
        """
        kinds = [self.kind(a) for a in e.args]
        found = {k.dtype.kind for k in kinds}
        compares = e.op.comparison and "i" in found and found & {"f", "c"}
        divides = e.op.ufunc is np.divide and all(k.dtype.kind in "bi" for k in kinds)
        if not (compares or divides):
            return
        for a, kind in zip(e.args, kinds, strict=True):
            if kind.dtype == INT and kind.box != IN_NUMPY and isinstance(a, Value):
                self.i.in_range(self.of(a).value, -EXACT, EXACT)

    # -- regions -----------------------------------------------------------------------------------

    def branch(self, branch: Branch) -> None:
        if self.i.asking is not None or (is_small(branch, self.kind_of) and not any(
                e in self.summed for _, side in branch.sides() for e in side.equations)):
            self.chosen_of(branch)
        else:
            self.one_of(branch)

    def chosen_of(self, branch: Branch) -> None:
        """Writes both sides of a branch, and chooses: the processor has nothing to guess."""
        test, sides = self.truth(branch.predicate), []
        for holds, side in branch.sides():
            self.i.under = test if holds else self.i.builder.not_(test)
            with self.i.hoisting.inside(None):
                self.learn(branch.predicate, holds)
                for e in side.equations:
                    self.equation(e)
                sides.append([self.with_bits(x, self.kind(v)) for x, v in zip(
                    side.outputs, branch.results, strict=True)])
            self.i.under = None
        for v, yes, no in zip(branch.results, *sides, strict=True):
            kind, select = self.kind(v), self.i.builder.select
            self.values[v] = Register(
                select(test, yes.value, no.value),
                select(test, yes.flag, no.flag) if len(kind.box) == 2 else None,
                select(test, yes.bound, no.bound) if kind.unbound else None)
            self.enter_range(v, self.values[v].value)

    def one_of(self, branch: Branch) -> None:
        cells = self.cells(branch.results)
        blocks = self.i.block("true"), self.i.block("false")
        after = self.i.block("after")
        test = self.truth(branch.predicate)
        self.i.builder.cbranch(
            test, *blocks, together=self.facts.has_parts(branch.predicate))
        for block, (holds, side) in zip(blocks, branch.sides(), strict=True):
            self.i.builder.position_at_end(block)
            with self.i.hoisting.inside(None):
                self.learn(branch.predicate, holds)
                self.region(side)
                self.fill(cells, side.outputs, set(binders(side)))
            self.i.builder.branch(after)
        self.i.builder.position_at_end(after)
        self.read(cells, branch.results, branch.on_true.outputs)
