r"""Turns a generator into a function that goes on where it stopped, and returns at each `yield`.

Its variables are those of the function around it, so that a trace follows them as it follows all
variables: who goes on with it in a branch changes them there. This is not one of the passes that
every function goes through: it makes a second form of a generator that is read on, or is sent
values, where only the run knows how far it was read.

>>> import gast
>>> from autograph.printer.statements import to_text
>>> source = "def f(total):\n  while total < 9:\n    v = yield total\n    total += v"
>>> print(to_text(resumed_form(gast.parse(source).body[0], "ag", ())), end="")
def f(total):
    v: 'of the generator'
    state = 0
    begun = False
<BLANKLINE>
    def go_on(sent, error):
        nonlocal total, v, state, begun
        here, state = state, 6
        if not begun and here == 0:
            begun = True
            if error is not None:
                raise error
            here = 1
        while 1 <= here < 4:
            if here == 1:
                if total < 9:
                    here = 2
                else:
                    here = 4
            if here == 2:
                more, value, state, here = True, total, 3, -1
            if here == 3:
                if error is not None:
                    raise error
                v = sent
                total += v
                here = 1
        if here == 4:
            here = 5
        if here == 5:
            here = 6
        if here == 6:
            if error is not None:
                raise error
            more, value, here = False, None, -1
        return more, value
    return go_on, 'state', 6, (), False

`go_on` returns True and the next value, or False and what the generator returns. An exception that
leaves it ends the generator. Beside it stand the name of the variable that says where it stopped,
what that holds at the end, what it holds within a `try` that sees it closed, and whether `go_on`
closes it where the exception is `...`.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from typing import Any

import gast

from autograph.analysis.scopes import bound_names, parameter_names
from autograph.analysis.statements import FRAME_VIEWERS, LOOPS, TRY, own_nodes, statements
from autograph.syntax.names import fresh
from autograph.syntax.node_builders import (
    assign,
    at,
    call,
    constant,
    declare,
    function,
    load,
    negated,
    operator,
    store,
    tuple_of,
)

YIELDS = (gast.Yield, gast.YieldFrom)
JUMPS = (gast.Break, gast.Continue)
LEFT_OUT = frozenset({*FRAME_VIEWERS, "super", "__class__", "StopIteration", "GeneratorExit"})
"""Names of what looks at the frame of a generator, or at how it ends."""


class Unsupported(Exception):
    """The generator has no such form."""


def resumed_form(tree: Any, ag: str, names: Collection[str]) -> Any:
    """Returns the function that returns what goes on with the generator, or None: it is no
    generator, or a `yield` stands where it cannot stop. The tree is changed.
    """
    if any(isinstance(n, gast.Name) and n.id in LEFT_OUT for s in tree.body for n in gast.walk(s)):
        return None
    yields = [n for s in tree.body for n in own_nodes(s) if isinstance(n, YIELDS)]
    if any(isinstance(n, gast.YieldFrom) for n in yields) and any(
            isinstance(s, gast.Assign) and s.value in yields for s in statements(tree.body)):
        return None  # what is sent goes to the generator that it reads
    try:
        return _Resumed(tree, ag, names).made()
    except Unsupported:
        return None


class _Resumed:
    """Takes the statements of a generator apart into blocks, between which it may stop.

    blocks    the statements of each block.
    tries     the `try` statements around what is being taken apart.
    loops     the loops around it: the jumps of each `break`, the block where `continue` goes on,
              and within how many tries the loop is.
    within    the blocks within tries with which the generator goes on.
    ranges    the first block of each loop, and the first one behind it.
    ended     the block at the end.
    closes    True if each `try` has nothing to do with how it is closed but its `finally`.
    """

    def __init__(self, tree: Any, ag: str, names: Collection[str]) -> None:
        self.tree, self.ag = tree, ag
        self.begun, self.state, self.here, self.go_on = (
            fresh(name, names) for name in ("begun", "state", "here", "go_on"))
        self.sent, self.error, self.more, self.value = (
            fresh(name, names) for name in ("sent", "error", "more", "value"))
        self.names, self.made_names = names, list[str]()
        self.blocks: list[tuple[list[Any], tuple[Any, ...]]] = []
        self.tries: tuple[Any, ...] = ()
        self.loops: list[tuple[list[Any], int, int]] = []
        self.within: list[int] = []
        self.ranges: list[tuple[int, int]] = []
        self.origin: Any = tree.body[0]
        self.ended = 0
        tries = [s for s in statements(tree.body) if isinstance(s, TRY)]
        self.closes = any(s.finalbody for s in tries) and not any(
            _sees_close((s.handlers, [])) for s in tries)

    def made(self) -> Any:
        tree = self.tree
        declared = [s for s in statements(tree.body) if isinstance(s, (gast.Global, gast.Nonlocal))]
        outer = {name for s in declared for name in s.names}
        given = parameter_names(tree.args)
        own = [n for n in bound_names(tree.body) if n not in outer and n not in given]
        self.begin()
        self.thrown()
        if self.all(tree.body):
            self.land(self.later())
        else:
            self.begin()
        self.ended = len(self.blocks) - 1
        self.thrown()
        self.end(constant(None))
        own += self.made_names
        shared = [gast.Nonlocal([*given, *own, self.state, self.begun]), *declared]
        first = tree.body[0]
        inner = function(self.go_on, (self.sent, self.error), [*shared, *self.dispatch()])
        tree.body = [at(first, s) for s in (
            *(declare(n, "of the generator") for n in own), assign(self.state, constant(0)),
            assign(self.begun, constant(False)), inner,
            gast.Return(tuple_of([
                load(self.go_on), constant(self.state), constant(self.ended),
                tuple_of(list(map(constant, self.within))), constant(self.closes)])))]
        tree.returns = None
        return tree

    def dispatch(self) -> list[Any]:
        """Returns the statements that run the blocks, each in turn, until one ends or yields."""
        begin = gast.Assign([_targets(self.here, self.state)], tuple_of(
            [load(self.state), constant(self.ended)]), None)
        block, tries = self.blocks[0]
        unread = gast.Compare(load(self.here), [gast.Eq()], [constant(0)])  # it may be closed
        first = gast.If(gast.BoolOp(gast.And(), [negated(load(self.begun)), unread]), [
            assign(self.begun, constant(True)), *_guarded(block, tries)], [])
        return [begin, first, *self.in_turn(1, len(self.blocks), sorted(self.ranges)),
                gast.Return(tuple_of([load(self.more), load(self.value)]))]

    def in_turn(self, first: int, end: int, ranges: list[tuple[int, int]]) -> list[Any]:
        """Returns the statements that run some blocks; those of a loop in a loop. A jump back is
        always one to the begin of a loop around it."""
        made: list[Any] = []
        while first < end:
            stop = max((e for b, e in ranges if b == first and e <= end), default=first)
            if stop == first:
                block, tries = self.blocks[first]
                made.append(gast.If(gast.Compare(load(self.here), [gast.Eq()], [constant(first)]),
                                    _guarded(block or [gast.Pass()], tries), []))
                first += 1
                continue
            inside = [r for r in ranges if first <= r[0] and r[1] <= stop and r != (first, stop)]
            going = gast.Compare(constant(first), [gast.LtE(), gast.Lt()],
                                 [load(self.here), constant(stop)])
            made.append(gast.While(going, self.in_turn(first, stop, inside), []))
            first = stop
        return made

    # -- blocks ------------------------------------------------------------------------------------

    def begin(self) -> int:
        """Begins a block, and returns its number."""
        self.blocks.append(([], self.tries))
        return len(self.blocks) - 1

    def add(self, *new: Any) -> None:
        self.blocks[-1][0].extend(at(self.origin, s) for s in new)

    def go(self, block: int) -> Any:
        """Returns the statement that goes on with a block."""
        return assign(self.here, constant(block))

    def stop(self, more: bool, value: Any, state: int | None = None) -> None:
        """Adds the end of a run of blocks: a value is yielded, or returned."""
        names, values = [self.more, self.value], [constant(more), value]
        if state is not None:
            names, values = [*names, self.state], [*values, constant(state)]
        self.add(gast.Assign([_targets(*names, self.here)], tuple_of([*values, constant(-1)]),
                             None))

    def end(self, value: Any) -> None:
        self.stop(False, value)

    def later(self) -> list[Any]:
        """Returns a jump to a block that is not known yet: see `land`."""
        jump = assign(self.here, constant(0))
        self.add(jump)
        return [jump]

    def choice(self, test: Any) -> gast.If:
        """Returns a statement with two jumps, its body and its `else`: see `land`."""
        return gast.If(test, [assign(self.here, constant(0))], [assign(self.here, constant(0))])

    def land(self, *jumps: list[Any]) -> int:
        """Begins a block at which these jumps arrive."""
        block = self.begin()
        for (jump,) in jumps:
            jump.value = at(jump.value, constant(block))
        return block

    def name(self, name: str) -> str:
        made = fresh(name, {*self.made_names, *self.names})
        self.made_names.append(made)
        return made

    # -- statements --------------------------------------------------------------------------------

    def all(self, body: list[Any]) -> bool:
        """Takes statements apart; returns True if the end of the last one may be met."""
        for statement in body:
            self.origin = statement
            if isinstance(statement, (gast.Global, gast.Nonlocal)):
                continue
            if not _stops(statement):
                self.add(_without_note(statement))
                continue
            method = getattr(self, type(statement).__name__, None)
            if method is None:
                raise Unsupported
            if not method(statement):
                return False
        return True

    def Expr(self, node: Any) -> bool:
        return self.yielded(node.value, [])

    def Assign(self, node: Any) -> bool:
        if isinstance(node.value, gast.YieldFrom):
            raise Unsupported
        return self.yielded(node.value, node.targets)

    def yielded(self, found: Any, targets: list[Any]) -> bool:
        if not isinstance(found, YIELDS) or (found.value is not None and _yields(found.value)):
            raise Unsupported
        if isinstance(found, gast.YieldFrom):
            item = self.name("item")
            body = [at(found, gast.Expr(gast.Yield(load(item))))]
            return self.For(at(found, gast.For(store(item), found.value, body, [], None)))
        block = len(self.blocks)
        self.stop(True, found.value or constant(None), block)
        self.within += [block] if any(map(_sees_close, self.tries)) else []
        self.begin()
        self.thrown()
        if targets:
            self.add(gast.Assign(targets, load(self.sent), None))
        return True

    def thrown(self) -> None:
        """Adds what raises the exception that is thrown into the generator, if there is one, and
        what ends it where it is closed."""
        if self.closes:
            choice = self.choice(gast.Compare(load(self.error), [gast.Is()], [constant(...)]))
            self.add(choice)
            self.land(choice.body)
            around = self.leave(0)
            self.end(constant(None))
            self.tries = around
            self.land(choice.orelse)
        is_thrown = gast.Compare(load(self.error), [gast.IsNot()], [constant(None)])
        self.add(gast.If(is_thrown, [gast.Raise(load(self.error), None)], []))

    def Return(self, node: Any) -> bool:
        value = node.value or constant(None)
        if self.tries:
            name = self.name("returned")
            self.add(assign(name, value))
            value = load(name)
        around = self.leave(0)
        self.end(value)
        self.tries = around
        return False

    def Break(self, node: Any) -> bool:
        jumps, _, depth = self.loops[-1]
        around = self.leave(depth)
        jumps.append(self.later())
        self.tries = around
        return False

    def Continue(self, node: Any) -> bool:
        _, head, depth = self.loops[-1]
        around = self.leave(depth)
        self.add(self.go(head))
        self.tries = around
        return False

    def leave(self, depth: int) -> tuple[Any, ...]:
        """Runs what ends the tries that a jump leaves; returns those that are around it."""
        around = self.tries
        while len(self.tries) > depth:
            *outer, (_, final) = self.tries
            jump = self.later()
            self.tries = tuple(outer)
            self.land(jump)
            self.add(*deepcopy(final))
        return around

    def If(self, node: Any) -> bool:
        _check(node.test)
        choice, ends = self.choice(node.test), []
        self.add(choice)
        for arm, body in ((choice.body, node.body), (choice.orelse, node.orelse)):
            self.land(arm)
            if self.all(body):
                ends.append(self.later())
        if ends:
            self.land(*ends)
        return bool(ends)

    def While(self, node: Any) -> bool:
        _check(node.test)
        head = self.land(self.later())
        choice = self.choice(node.test)
        self.add(choice)
        return self.loop(node, head, choice)

    def For(self, node: Any) -> bool:
        _check(node.iter)
        source, position, found, item = map(self.name, ("source", "position", "found", "item"))
        self.add(assign(source, call(operator(self.ag, "to_read"), node.iter)),
                 assign(position, constant(0)))
        head = self.land(self.later())
        choice = self.choice(load(found))
        self.add(gast.Assign([_targets(found, item)], call(
            operator(self.ag, "item_or_end"), load(source), load(position)), None), choice)
        first = gast.Assign(
            [node.target], call(operator(self.ag, "bound"), load(item)), None)
        moved = assign(position, gast.BinOp(load(position), gast.Add(), constant(1)))
        return self.loop(node, head, choice, [at(node, moved), at(node, first)])

    def loop(self, node: Any, head: int, choice: Any, first: list[Any] | None = None) -> bool:
        """Takes the body of a loop apart, and its `else`."""
        self.land(choice.body)
        ends: list[Any] = []
        self.loops.append((ends, head, len(self.tries)))
        self.add(*first or [])
        if self.all(node.body):
            self.add(self.go(head))
        self.loops.pop()
        self.ranges.append((head, self.land(choice.orelse)))
        if self.all(node.orelse):
            ends.append(self.later())
        self.land(*ends)
        return bool(ends)

    def Try(self, node: Any) -> bool:
        if any(map(_stops, (*node.finalbody, *(s for h in node.handlers for s in h.body)))):
            raise Unsupported
        around, ends = self.tries, []
        if node.finalbody:
            self.tries = (*self.tries, ([], node.finalbody))
        within = self.tries
        if node.handlers:
            self.tries = (*self.tries, (node.handlers, []))
        handled = [assign(self.here, constant(0)) for _ in node.handlers]
        for handler, jump in zip(node.handlers, handled, strict=True):
            handler.body = [*map(_without_note, handler.body), at(handler, jump)]
        self.land(self.later())
        falls = self.all(node.body)
        if node.orelse and falls:
            jump = self.later()
            self.tries = within
            self.land(jump)
            falls = self.all(node.orelse)
        if falls:
            ends.append(self.later())
        self.tries = within
        ends += [[jump] for jump in handled]
        if not ends:
            self.tries = around
            return False
        self.land(*ends)
        self.leave(len(around))
        self.tries = around
        self.land(self.later())
        return True


def _guarded(body: list[Any], tries: tuple[Any, ...]) -> list[Any]:
    """Returns the statements of a block within the tries around it."""
    for handlers, final in reversed(tries):
        first = body[0]
        made = [deepcopy(h) for h in handlers] if handlers else [gast.ExceptHandler(
            gast.Name("BaseException", gast.Load(), None, None), None,
            [*deepcopy(final), gast.Raise(None, None)])]
        body = [at(first, gast.Try(body, made, [], []))]
    return body


def _sees_close(block: tuple[Any, Any]) -> bool:
    """Returns True for a `try` that runs code of its own where Python closes the generator."""
    handlers, final = block
    named = {n.id for h in handlers if h.type is not None for n in gast.walk(h.type) if isinstance(
        n, gast.Name)}
    return bool(final) or "BaseException" in named or any(h.type is None for h in handlers)


def _targets(*names: str) -> Any:
    return gast.Tuple([store(n) for n in names], gast.Store())


def _yields(node: Any) -> bool:
    return any(isinstance(n, YIELDS) for n in own_nodes(node))


def _check(node: Any) -> None:
    if _yields(node):
        raise Unsupported


def _stops(statement: Any) -> bool:
    """Returns True for a statement in which the generator may stop, or which leaves it or a loop
    around it."""
    if isinstance(statement, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
        return False
    if _yields(statement) or any(isinstance(n, gast.Return) for n in own_nodes(statement)):
        return True
    return isinstance(statement, JUMPS) or _leaves(statement)


def _leaves(statement: Any) -> bool:
    """Returns True if a `break` or `continue` in a statement belongs to a loop around it."""
    if isinstance(statement, LOOPS):
        return any(isinstance(s, JUMPS) or _leaves(s) for s in statement.orelse)
    inside = [s for field in ("body", "orelse", "finalbody") for s in getattr(
        statement, field, ()) or ()] if isinstance(statement, (gast.If, gast.With, *TRY)) else []
    inside += [s for h in getattr(statement, "handlers", ()) for s in h.body]
    inside += [s for c in getattr(statement, "cases", ()) for s in c.body]
    return any(isinstance(s, JUMPS) or _leaves(s) for s in inside)


def _without_note(statement: Any) -> Any:
    """Returns a statement without annotations of names: those of other functions have none."""
    if not isinstance(statement, gast.AnnAssign) or not isinstance(statement.target, gast.Name):
        return statement
    if statement.value is None:
        return at(statement, gast.Pass())
    return at(statement, gast.Assign([statement.target], statement.value, None))
