"""Removes `continue`, `break` and early `return`: plain Python in, plain Python out.

The rest of a block moves into the branch that does not jump; a flag is used where several
paths go on.  What is left: `return` at the end of a path, and `if flag: break` at the end of a
loop.

>>> from autograph.passes.pipeline import show
>>> show("jumps", '''
... def f(items):
...     for item in items:
...         if item < 0:
...             continue
...         if item == 0:
...             break
...         print(item)
...     else:
...         return 1
... ''')
def f(items):
    stop = False
    for item in items:
        if item < 0:
            pass
        elif item == 0:
            stop = True
        else:
            print(item)
        if stop:
            break
    if not stop:
        return 1
    else:
        return None
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.completion import JUMPS, Completion, Jump, exhaustive
from autograph.analysis.scopes import bound_names
from autograph.analysis.statements import LOOPS, TRY, blocks, statements
from autograph.syntax.node_builders import (
    assign,
    at,
    blocks_replaced,
    constant,
    declare,
    insert_first,
    load,
    negated,
    store,
)

Body = list[Any]
JUMP_STATEMENTS = tuple(JUMPS)


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites every function that holds a jump other than a last `return`."""
    for function in unit.functions:
        lowering = _Lowering(unit, function)
        if lowering.needed():
            unit.note_maybe_unbound(function)
            lowering.run()
    return tree


@dataclass(frozen=True)
class Way:
    """How the jumps of a block are written.

    Each kind of jump sets its flags, or stays a jump where the flags are None.  `last`: nothing
    follows the block in its function; `explicit`: then a path that ends says `return None`.
    `risky`: an exception raised while a jump is under way may be caught and so cancel it.
    """

    returning: tuple[str, ...] | None = None
    breaking: tuple[str, ...] | None = None
    continuing: tuple[str, ...] | None = None
    last: bool = False
    explicit: bool = False
    risky: bool = False

    @property
    def keeps(self) -> bool:
        """Whether every jump stays a jump, and something may follow."""
        return not self.last and self.returning is self.breaking is self.continuing is None

    def flags(self, kind: Jump) -> tuple[str, ...] | None:
        """The flags of one kind of jump."""
        return {Jump.RETURN: self.returning, Jump.BREAK: self.breaking,
                Jump.CONTINUE: self.continuing}[kind]

    def skipping(self, flag: str) -> Way:
        """The same, with one more flag set by every jump."""
        def more(flags: tuple[str, ...] | None) -> tuple[str, ...] | None:
            return None if flags is None else (*flags, flag)

        return replace(self, returning=more(self.returning), breaking=more(self.breaking),
                       continuing=more(self.continuing))


KEEP = Way()


class _Lowering:
    def __init__(self, unit: Unit, function: Any) -> None:
        self.names, self.function = unit.names, function
        self.known = Completion()
        self._ends: dict[Any, int] = {}
        self._returned: tuple[str, str] | None = None

    def needed(self) -> bool:
        """Whether the function holds a jump other than a last `return`, or the `else` of a loop."""
        last = self.function.body[-1]
        return any((isinstance(statement, JUMP_STATEMENTS) and statement is not last)
                   or (isinstance(statement, LOOPS) and statement.orelse)
                   for statement in statements(self.function.body))

    def run(self) -> None:
        function = self.function
        before = bound_names(function.body)
        function.body = self.block(function.body, Way(last=True), function)
        after = set(bound_names(function.body))
        lost = [name for name in before if name not in after]
        # Python takes a name for local even if all that binds it cannot be reached.
        insert_first(function, [at(function, declare(name, "local")) for name in lost])

    @property
    def returned(self) -> str:
        """The flag that says that the function is about to return."""
        return self._return_names()[0]

    @property
    def result(self) -> str:
        """What it is about to return."""
        return self._return_names()[1]

    def _return_names(self) -> tuple[str, str]:
        if self._returned is None:
            self._returned = self.names.fresh("returned"), self.names.fresh("result")
        return self._returned

    def block(self, body: Body, way: Way, origin: Any) -> Body:
        """A block without the jumps that `way` removes."""
        done: Body = []
        for index, statement in enumerate(body):
            falls = self.known.falls(statement)
            if self.known.escapes(statement):
                return done + self.jumping(statement, body[index + 1:], way)
            done += self.whole(statement)
            if not falls:
                return done
        if way.explicit:
            done.append(at(body[-1] if body else origin, gast.Return(constant(None))))
        return done

    def whole(self, statement: Any) -> Body:
        """A statement that no jump leaves; there may be jumps of loops in it."""
        if isinstance(statement, LOOPS):
            return self.loop(statement, [], KEEP)
        self.inside(statement, KEEP, None)
        return [statement]

    def jumping(self, statement: Any, rest: Body, way: Way) -> Body:
        """A statement that a jump leaves, and the rest of its block."""
        if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
            return self.jump(statement, way)
        loop = isinstance(statement, LOOPS) and not self.known.is_pinned(statement)
        if loop and not way.keeps:
            return self.loop(statement, rest, way)
        if way.keeps or (way.last and self.is_direct(statement)):
            falls = self.known.falls(statement)
            self.inside(statement, KEEP, None)
            return [statement, *(self.block(rest, way, statement) if falls else [])]
        if isinstance(statement, (gast.If, gast.Match)) and (
                not rest or self.ends(statement) <= 1):
            return self.pushed(statement, rest, way)
        if way.last and isinstance(statement, (*TRY, gast.With)) and (
                self.ends_function(statement, rest)):
            return self.last_attempt(statement, way)
        if way.risky and _has_exit(statement):
            return self.committed(statement, rest, way)
        return self.flagged(statement, rest, way)

    def jump(self, statement: Any, way: Way) -> Body:
        """One jump: its flags, or itself."""
        kind = JUMPS[statement.__class__]
        if (flags := way.flags(kind)) is None:
            return [statement]
        made: Body = []
        if kind is Jump.RETURN and not _is_name(statement.value, self.result):
            made.append(assign(self.result, statement.value or constant(None)))
        if flags:
            made.append(gast.Assign([store(flag) for flag in flags], constant(True), None))
        return [at(statement, node) for node in made]

    # The rest of the block goes into a branch.

    def ends(self, statement: Any) -> int:
        """The number of places in a statement from which control goes on after it."""
        if statement not in self._ends:
            self._ends[statement] = self._count_ends(statement)
        return self._ends[statement]

    def _count_ends(self, statement: Any) -> int:
        if isinstance(statement, gast.If):
            return self.block_ends(statement.body) + self.block_ends(statement.orelse)
        if isinstance(statement, gast.Match):
            return sum(self.block_ends(case.body) for case in statement.cases) + (
                not exhaustive(statement))
        return int(self.known.falls(statement))

    def block_ends(self, body: Body) -> int:
        """The same for a block, whose own rest is moved first."""
        for index, statement in enumerate(body):
            if self.known.escapes(statement) and self.ends(statement):
                rest = body[index + 1:]
                return self.block_ends(rest) if rest else self.ends(statement)
            if not self.known.falls(statement):
                return 0
        return 1

    def pushed(self, statement: Any, rest: Body, way: Way) -> Body:
        """The rest moves to where control goes on."""
        way = replace(way, explicit=way.last)

        def extended(body: Body, origin: Any) -> Body:
            return self.block(body + rest if self.block_ends(body) else body, way, origin)

        if isinstance(statement, gast.If):
            body, orelse = statement.body, statement.orelse
            statement.body = extended(body, body[0]) or [at(body[0], gast.Pass())]
            statement.orelse = extended(orelse, statement)
            return [statement]
        if rest and not exhaustive(statement):
            wildcard = at(statement, gast.MatchAs(None, None))
            statement.cases.append(gast.match_case(wildcard, None, []))
        for case in statement.cases:
            case.body = extended(case.body, statement) or [at(statement, gast.Pass())]
        ended = rest or exhaustive(statement)
        return [statement, *([] if ended else self.block([], way, statement))]

    # `return` may stay where nothing follows.

    def is_direct(self, statement: Any) -> bool:
        """Whether the jumps sit in `try` and `with` only, which stay Python."""
        if isinstance(statement, JUMP_STATEMENTS) or not self.known.escapes(statement):
            return True
        if isinstance(statement, LOOPS):
            return self.known.is_pinned(statement)
        return isinstance(statement, (*TRY, gast.With)) and all(
            self.is_direct(inner) for block in blocks(statement) for inner in block)

    def ends_function(self, statement: Any, rest: Body) -> bool:
        """Whether every path out of the parts of a `try` or `with` leads out of the function."""
        if rest and self.known.falls(statement):
            return False
        return not getattr(statement, "orelse", None) or not (
            self.known.out_of(statement.body) and self.known.block_falls(statement.body))

    def last_attempt(self, statement: Any, way: Way) -> Body:
        """A `try` or `with` that nothing follows."""
        falls = self.known.falls(statement)
        explicit = replace(way, explicit=True)
        body_way = KEEP if getattr(statement, "orelse", None) else explicit
        if not self.known.block_falls(statement.body):
            body_way = explicit
        statement.body = self.block(statement.body, body_way, statement)
        # No `return` may stand in an `except*`; what falls out of it goes on below.
        handler_way = KEEP if _is_star(statement) else explicit
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body, handler_way, statement)
        if orelse := getattr(statement, "orelse", None):
            statement.orelse = self.block(orelse, explicit, statement)
        if finalbody := getattr(statement, "finalbody", None):
            statement.finalbody = self.block(finalbody, KEEP, statement)
        return [statement, *(self.block([], way, statement) if falls else [])]

    # Several paths go on: a flag tells whether the rest is skipped.

    def flagged(self, statement: Any, rest: Body, way: Way) -> Body:
        """The rest, guarded by a flag that the jumps set."""
        kinds = self.known.escapes(statement)
        if way.last:
            self.inside(statement, Way((self.returned,)), self.returned)
            start = at(statement, assign(self.returned, constant(False)))
            return [start, statement, self.resumed(statement, rest, way)]
        guard, start = self.common_flag(kinds, way), []
        if guard is None and (rest or getattr(statement, "orelse", None)):
            guard = self.names.fresh("skip")
            start = [at(statement, assign(guard, constant(False)))]
            way = way.skipping(guard)
        self.inside(statement, way, guard)
        return [*start, statement, *self.unless(guard, rest, way)]

    def common_flag(self, kinds: Jump, way: Way) -> str | None:
        """A flag that each of these kinds of jump sets anyway."""
        sets = [way.flags(kind) or () for kind in Jump if kind in kinds]
        return next((flag for flag in sets[0] if all(flag in flags for flags in sets)), None)

    def unless(self, guard: str | None, rest: Body, way: Way) -> Body:
        """`if not guard: rest`."""
        if not rest:
            return []
        assert guard is not None
        body = self.block(rest, way, rest[0])
        return [at(rest[0], gast.If(negated(load(guard)), body, []))] if body else []

    def resumed(self, statement: Any, rest: Body, way: Way) -> Any:
        """`if returned: return result`, else the rest."""
        leave = at(statement, gast.Return(load(self.result)))
        orelse = self.block(rest, replace(way, explicit=True), statement)
        return at(statement, gast.If(load(self.returned), [leave], orelse))

    def inside(self, statement: Any, way: Way, guard: str | None) -> None:
        """Rewrites the blocks of a statement; `else` of a `try` is skipped after a jump."""
        if isinstance(statement, (*LOOPS, *TRY, gast.With)):
            self.inside_guarded(statement, way, guard)
        else:
            blocks_replaced(statement, lambda body: self.block(body, way, body[0])
                            or [at(body[0], gast.Pass())])

    def inside_guarded(self, statement: Any, way: Way, guard: str | None) -> None:
        caught = getattr(statement, "handlers", None) or isinstance(statement, gast.With)
        body_way = replace(way, risky=True) if caught else way
        left = self.known.out_of(statement.body)
        for field in ("body", "orelse", "finalbody"):
            if not (body := getattr(statement, field, None)):
                continue
            if field == "orelse" and left and guard and isinstance(statement, TRY):
                new = self.unless(guard, body, way)
            else:
                keeps = field == "finalbody" or (isinstance(statement, LOOPS) and field == "body")
                new = self.block(body, KEEP if keeps else
                                 body_way if field == "body" else way, body[0])
            setattr(statement, field, new or [at(body[0], gast.Pass())])
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body, way, handler) or [at(handler, gast.Pass())]

    def committed(self, statement: Any, rest: Body, way: Way) -> Body:
        """Jumps through an exit that may raise: they count once the exit has run.

        The statement sets flags of its own, and the jumps are repeated after it.
        """
        flags: dict[Jump, str] = {}
        again: Body = []
        for kind, jump in ((Jump.RETURN, gast.Return(load(self.result))),
                           (Jump.BREAK, gast.Break()), (Jump.CONTINUE, gast.Continue())):
            if kind in self.known.escapes(statement):
                flags[kind] = self.names.fresh("left")
                again.append(at(statement, gast.If(load(flags[kind]), [jump], [])))
        returning, breaking, continuing = (
            (flags[kind],) if kind in flags else None for kind in JUMPS.values())
        own = Way(returning, breaking, continuing)
        start = [at(statement, assign(flag, constant(False))) for flag in flags.values()]
        return start + self.flagged(statement, [], own) + self.block(again + rest, way, statement)

    # Loops

    def loop(self, loop: Any, rest: Body, way: Way) -> Body:
        """A loop; what is left of its `break` is `if flag: break` at the end of its body."""
        if self.known.is_pinned(loop):
            self.inside(loop, way, None)
            return [loop]
        jumps, falls = self.known.out_of(loop.body), self.known.falls(loop)
        stop = self.names.fresh("stop") if Jump.BREAK in jumps else None
        returns = Jump.RETURN in jumps
        start = [stop] if stop else []
        if returns and way.last:
            start.append(self.returned)
        loop.body = self.loop_body(loop, stop, returns, way)
        orelse, loop.orelse = loop.orelse, []
        if stop and orelse:
            orelse = [at(orelse[0], gast.If(negated(load(stop)), orelse, []))]
        made = [*(at(loop, assign(flag, constant(False))) for flag in start), loop]
        return made + self.after_loop(loop, orelse + rest, way, returns, falls)

    def loop_body(self, loop: Any, stop: str | None, returns: bool, way: Way) -> Body:
        stops = (stop,) if stop else ()
        returned = way.returning or ((self.returned,) if returns else ())
        inside = Way((*returned, *stops), stops, (), risky=way.risky)
        body = self.block(loop.body, inside, loop)
        if flag := stop or (returned[0] if returns else None):
            body.append(at(loop, gast.If(load(flag), [gast.Break()], [])))
        return body or [at(loop, gast.Pass())]

    def after_loop(self, loop: Any, rest: Body, way: Way, returns: bool, falls: bool) -> Body:
        """What follows a loop: its `else`, then the rest of the block."""
        if not returns:
            return self.block(rest, way, loop) if falls else []
        if way.returning:
            return self.unless(way.returning[0], rest, way)
        if not falls:
            return [at(loop, gast.Return(load(self.result)))]
        return [self.resumed(loop, rest, way)]


def _has_exit(statement: Any) -> bool:
    """Whether leaving the statement runs code of its own."""
    return isinstance(statement, gast.With) or bool(getattr(statement, "finalbody", None))


def _is_star(statement: Any) -> bool:
    return isinstance(statement, TRY) and not isinstance(statement, gast.Try)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name
