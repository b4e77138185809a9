"""The walk over a graph by reference that records it by value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from autograph.runtime.ir.graph import (
    Atom,
    Equation,
    Graph,
    Value,
    atom_type,
    map_leaves,
)
from autograph.runtime.ir.regions import as_branch, as_call, as_loop
from autograph.runtime.ir.types import ArrayType, PyType, Type, fits, has_memory, may_have_memory
from autograph.runtime.ops.container_values import ARRAY_ONLY, ITEMS_ONLY, NUMBER_ONLY
from autograph.runtime.ops.control import CALL
from autograph.runtime.ops.indexing import GETITEM, INTO
from autograph.runtime.ops.op import OPS, Op
from autograph.runtime.ops.opaque import pure
from autograph.runtime.ops.stores import (
    CHANGE,
    STORE_ITEM,
    STORE_RESULT,
    STORED_BY,
    STORED_INTO,
)
from autograph.runtime.ops.views import Apply, Output, may_share, step_of
from autograph.runtime.references.branches import rewrite_branch
from autograph.runtime.references.container_forms import (
    PLAIN_FORMS,
    class_of,
    is_container_form,
    unknown_form,
)
from autograph.runtime.references.containers import operate
from autograph.runtime.references.loops import rewrite_loop
from autograph.runtime.references.memory import NUMBER, Memory, Update
from autograph.runtime.references.targets import Reference, Site, Target, number_of, refuse
from autograph.runtime.references.written import (
    SharedMemory,
    may_be_shared,
    may_give,
    sharing,
)

T = TypeVar("T")

DIFFERENTIABLE = OPS["differentiable"]
IS_NUMBER = pure(np.isscalar, lambda x: PyType(bool))
CALLED_FORMS = {STORE_RESULT: STORED_INTO, CHANGE: STORED_BY}
"""The ops by value of the calls that write to an array."""


class ByValue:
    """Records equations by value.

    now    what stands for each value of the graph by reference: an atom, or a reference to memory
           that is written somewhere.
    loose  the sites that may share memory with others in a way that nothing here knows.
    """

    def __init__(self, shared: SharedMemory) -> None:
        self.shared = shared
        self.memory = Memory()
        self.now: dict[Value, Atom | Reference] = {}
        self.loose: set[Site] = set()
        self.calls: list[Graph] = []

    # -- operands ---------------------------------------------------------------------------------

    def meaning(self, atom: Atom) -> Atom | Reference:
        """Returns what stands for an atom; for a value from outside, that value."""
        if not isinstance(atom, Value):
            return atom
        return self.now[atom] if atom in self.now else self.from_outside(atom)

    def from_outside(self, value: Value) -> Atom | Reference:
        """Returns what stands for a value that no equation of the walk made."""
        refuse(f"{value.hint or 'a value'} is made outside", self.memory.location)

    def read(self, atom: Atom) -> Atom:
        """Returns the value that an atom stands for now."""
        found = self.meaning(atom)
        return self.memory.read(found) if isinstance(found, Reference) else found

    def read_nest(self, nest: Any) -> Any:
        return map_leaves(self.read, nest)

    def moved(self, site: Site, new: Site) -> None:
        """Notes that an array has another site from now on."""
        if site in self.loose:
            self.loose.add(new)

    def instead(self, walk: Callable[[Graph], T], regions: Iterable[Graph]) -> list[T]:
        """Walks over regions of which only one runs: what one loosens is as it was in another."""
        before, after, found = self.loose, set(self.loose), []
        for region in regions:
            self.loose = set(before)
            found.append(walk(region))
            after |= self.loose
        self.loose = after
        return found

    def fresh(self, value: Value, content: Atom) -> None:
        """Enters a value that has memory of its own, if anything has."""
        if may_be_shared(value.type) and self.shared.is_written(value):
            site = Site()
            self.memory.contents[site] = content
            self.now[value] = Reference((Target(site),))
        else:
            self.now[value] = content

    def array_of(self, atom: Atom) -> Reference:
        """Returns the array to which an equation writes."""
        found = self.meaning(atom)
        if not isinstance(found, Reference) or not isinstance(atom_type(atom), ArrayType):
            refuse("an object that is no array is changed while the graph runs",
                   self.memory.location)
        if any(p.site in self.loose for p in found.targets):
            refuse("only the run knows whether two arrays share memory, and one is written",
                   self.memory.location)
        return found

    # -- equations --------------------------------------------------------------------------------

    def walk(self, equations: Sequence[Equation]) -> None:
        for e in equations:
            outer, self.memory.equation = self.memory.equation, e
            self.step(e)
            self.memory.equation = outer

    def step(self, e: Equation) -> None:
        if e.pending_writes:
            refuse("what was changed before an exception is noted", e.location)
        if e.regions:
            self.control(e)
        elif is_container_form(e):
            operate(self, e)
        elif form := unknown_form(e):
            self.unknown(e, form)
        elif e.op.effect == "store":
            self.store(e)
        elif e.op.view and e.args and isinstance(self.meaning(e.args[0]), Reference):
            self.view(e)
        elif e.op is GETITEM and isinstance(e.args[0], (list, tuple)):
            self.item(e)
        else:
            self.plain(e)

    def control(self, e: Equation) -> None:
        if (branch := as_branch(e)) is not None:
            rewrite_branch(self, branch)
        elif (loop := as_loop(e)) is not None:
            rewrite_loop(self, loop)
        else:
            self.call(e)

    def plain(self, e: Equation) -> None:
        """An equation whose results are numbers, or memory of their own."""
        if not e.op.unordered and any(class_of(v) is set for v in e.inputs):
            refuse("a set that changes is read: a copy may have its items in another order",
                   e.location)
        args, kwargs = self.read_nest(e.args), self.read_nest(dict(e.kwargs))
        outputs = self.memory.add(e.op, args, kwargs, self._types(e, args, kwargs))
        for old, new in zip(e.outputs, outputs, strict=True):
            new.hint = old.hint
            self.fresh(old, new)
        self.loosen(e)

    def loosen(self, e: Equation) -> None:
        """Notes that results may share the memory of operands, in a way that nothing here knows."""
        made = [v for v in e.outputs if isinstance(self.now[v], Reference)]
        given = [v for v in sharing(e) if may_give(e) or class_of(v) is None] if made else []
        for v in (*made, *given) if given else ():
            self.loosen_value(v)

    def loosen_value(self, value: Value) -> None:
        """The same of one value."""
        reference = self.meaning(value)
        if isinstance(reference, Reference):
            self.loose.update(p.site for p in reference.targets)

    def _types(self, e: Equation, args: Any, kwargs: Any) -> Any:
        """The types of the outputs: as they were, if those of the operands are."""
        now = [atom_type(x) for x in map(self.read_type, e.inputs)]
        return [v.type for v in e.outputs] if now == [v.type for v in e.inputs] else None

    def read_type(self, value: Value) -> Any:
        """Returns an atom of the type that a value has now."""
        found = self.meaning(value)
        if isinstance(found, Reference):
            target = found.only
            return value if target is None or target.steps else self.memory.contents[target.site]
        return found

    def view(self, e: Equation) -> None:
        """An equation whose results are views of an array that is written somewhere."""
        base = self.meaning(e.args[0])
        assert isinstance(base, Reference)
        if e.op is DIFFERENTIABLE:
            self.now[e.outputs[0]] = base
            return None
        shares = may_share(e.op, map_leaves(_type, e.args), e.kwargs)
        if not shares or e.op.may_copy or e.op.views_each or not has_memory(e.args[0].type):
            return self.plain(e)
        args, kwargs = self.read_nest(e.args[1:]), self.read_nest(dict(e.kwargs))
        if len(e.outputs) == 1:
            steps = [step_of(e.op, args, kwargs)]
        else:
            steps = [Output(k, Apply(e.op, args, kwargs)) for k in range(len(e.outputs))]
        for old, step in zip(e.outputs, steps, strict=True):
            if not may_have_memory(old.type):
                self.now[old] = self.memory.read(base.step(step))  # a number, as it is now
            else:
                self.now[old] = base.step(step)
        return None

    def item(self, e: Equation) -> None:
        """`[x, y][i]`: a reference to one of several arrays."""
        given = [self.referred(x) for x in e.args[0]]
        known = [x for x in given if isinstance(x, Reference)]
        if len(known) < len(given) or not may_have_memory(e.outputs[0].type):
            return self.plain(e)
        targets: list[Target] = []
        numbers = type(e.args[0])(  # raises as the sequence itself does
            self.memory.renumbered(x.which, [number_of(t, targets) for t in x.targets])
            for x in known)
        which = self.memory.add(GETITEM, (numbers, self.read(e.args[1])), types=(NUMBER,))[0]
        self.now[e.outputs[0]] = Reference(tuple(targets), which)
        return None

    def referred(self, atom: Atom) -> Atom | Reference:
        """Returns what stands for an atom; for an array that nothing writes, a reference."""
        found = self.meaning(atom)
        if isinstance(found, Reference) or not has_memory(atom_type(found)):
            return found
        site = Site()
        self.memory.contents[site] = found
        return Reference((Target(site),))

    # -- stores -----------------------------------------------------------------------------------

    def store(self, e: Equation) -> None:
        array = self.array_of(e.args[0])
        rest, kwargs = self.read_nest(e.args[1:]), self.read_nest(dict(e.kwargs))
        if e.op is STORE_ITEM:
            self.memory.write(array, self.memory.store(*rest))
        elif e.op in PLAIN_FORMS:
            (self.augmented if is_array(e.args[0]) else self.number_or_array)(e, array, rest[0])
        elif e.op in CALLED_FORMS:
            self.called(CALLED_FORMS[e.op], array, rest, kwargs)
        else:
            refuse(f"{e.op.name!r} changes objects", e.location)
        for v in e.outputs:
            self.now.setdefault(v, array if e.op in PLAIN_FORMS else None)

    def unknown(self, e: Equation, form: str) -> None:
        """`x += y` of a number, a method of an array, or `x[k]` of what does not change by it, as
        far as the run finds such a one."""
        check = {"number": NUMBER_ONLY, "array": ARRAY_ONLY, "items": ITEMS_ONLY}[form]
        op = PLAIN_FORMS[e.op] if form == "number" else GETITEM if form == "items" else (
            OPS[e.args[1]])
        checked = self.memory.add(check, (self.read(e.args[0]),))[0]
        rest = self.read_nest(e.args[2 if form == "array" else 1:])
        made = self.memory.add(op, (checked, *rest), self.read_nest(dict(e.kwargs)))[0]
        self.fresh(e.outputs[0], made)
        if form == "items":
            self.loosen(e)

    def augmented(self, e: Equation, array: Reference, operand: Atom) -> None:
        """`x += y`: the store of `x + y`, or `np.add(x, y, out=x)` where NumPy may refuse that."""
        old, plain = e.args[0].type, PLAIN_FORMS[e.op]
        now = self.memory.read(array)
        made = Value(self.memory.type_of(plain, (now, operand)))
        if fits(made.type, old):
            self.memory.add(plain, (now, operand), outputs=(made,))
            self.assign(array, made, old)
        else:
            self.called(STORED_INTO, array, (plain.ufunc or np.matmul, now, operand), {})

    def number_or_array(self, e: Equation, array: Reference, operand: Atom) -> None:
        """The same where only the run knows if `x` is a number, which another one replaces."""
        memory, plain = self.memory, PLAIN_FORMS[e.op]
        now = memory.read(array)
        is_number = memory.add(IS_NUMBER, (now,))[0]
        changed = self.in_place(STORED_INTO, (plain.ufunc or np.matmul, now, operand), {})
        memory.write(array, lambda x, steps: memory.choose(
            is_number, lambda: [x], lambda: [changed(x, steps)])[0])
        site = Site()
        memory.contents[site] = memory.choose(
            is_number, lambda: [memory.add(plain, (now, operand))[0]], lambda: [now])[0]
        which = memory.choose(is_number, lambda: [np.int64(len(array.targets))],
                              lambda: [array.which])[0]
        self.now[e.outputs[0]] = Reference((*array.targets, Target(site)), which)

    def assign(self, array: Reference, made: Value, old: Type) -> None:
        """Stores an array in all elements of another."""
        target = array.only
        if target is not None and not target.steps and made.type == old:
            self.memory.contents[target.site] = made
        else:
            self.memory.write(array, self.memory.store(INTO, made))

    def called(self, op: Op, array: Reference, rest: tuple[Any, ...], kwargs: Any) -> None:
        """`fn(…, out=x)` and `fn(x, …)`"""
        self.memory.write(array, self.in_place(op, rest, kwargs))

    def in_place(self, op: Op, rest: tuple[Any, ...], kwargs: Any) -> Update:
        """Returns the update of an array by a call of an op by value."""
        def update(x: Atom, steps: tuple[Any, ...]) -> Atom:
            if not steps:
                return self.memory.add(op, (x, *rest), kwargs)[0]
            view = x
            for step in steps:
                view_op, args, named = step.call()
                view = self.memory.add(view_op, (view, *args), named)[0]
            made = self.memory.add(op, (view, *rest), kwargs)[0]
            return self.memory.store(INTO, made)(x, steps)

        return update

    # -- calls ------------------------------------------------------------------------------------

    def call(self, e: Equation) -> None:
        """A call of a graph: as it stands if it writes nothing, else its equations instead."""
        call = as_call(e)
        if call is None:
            refuse(f"{e.op.name!r} holds regions", e.location)
        values = (*call.callee.inputs, *call.callee.outputs, *call.callee.free_values())
        if not any(isinstance(v, Value) and self.shared.is_written(v) for v in values) and not any(
                x.op.effect == "store" for x in call.callee.walk()):
            args = self.read_nest(e.args)
            outputs = self.memory.add(CALL, args, None, [v.type for v in e.outputs], e.regions)
            self.now.update(zip(e.outputs, outputs, strict=True))
            return
        if call.callee in self.calls:
            refuse("a function that calls itself changes an array, a list or an object", e.location)
        self.calls.append(call.callee)
        for inner, given in zip(call.callee.inputs, call.arguments, strict=True):
            self.now[inner] = self.meaning(given)
        self.walk(call.callee.equations)
        for made, inner in zip(call.results, call.callee.outputs, strict=True):
            self.now[made] = self.meaning(inner)
        self.calls.pop()


def is_array(x: Atom) -> bool:
    """Returns True if it is no number; an array of unknown shape may be one."""
    t = atom_type(x)
    return isinstance(t, ArrayType) and t.shape is not None


def _type(x: Any) -> Any:
    return x.type if isinstance(x, Value) else x
