"""Removes `continue`, `break` and early `return`: plain Python in, plain Python out.

Later passes turn branches and loops into functions, which no jump can leave. Afterwards there is
only `return` at the end of a path, and `if flag: break` at the end of a loop.

Where one path goes on after a statement, the rest of the block moves into that path: into the
`else` of `if …: continue`. Where several do, the jumps set a flag, and the rest is guarded by
`if not flag`. A `return` in a loop also sets `result`, and a test after the loop returns it.

A jump passes through `with` and `finally`, which may raise: then the jump is off. Inside a `try`
with handlers, or a `with`, such a jump is therefore repeated after the statement
(`repeated_after`). A jump out of a `finally` swallows exceptions: no flag does that, so its loop
stays a Python loop.

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

from dataclasses import replace
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.completion import JUMPS, Jump, exhaustive
from autograph.analysis.scopes import bound_names
from autograph.analysis.statements import LOOPS, TRY, statements
from autograph.passes.normalise.jump_facts import JUMP_STATEMENTS, JumpFacts, has_exit
from autograph.passes.normalise.jump_plan import KEEP, JumpPlan
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


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites every function that holds a jump other than a last `return`."""
    for function in unit.functions:
        remover = _JumpRemover(unit, function)
        if remover.needed():
            unit.note_maybe_unbound(function)
            remover.run()
    return tree


class _JumpRemover:
    def __init__(self, unit: Unit, function: Any) -> None:
        self.names, self.function = unit.names, function
        self.facts = JumpFacts()
        self._returned: tuple[str, str] | None = None

    def needed(self) -> bool:
        """Returns True if there is a jump other than a last `return`, or a loop with an `else`."""
        last = self.function.body[-1]
        return any((isinstance(statement, JUMP_STATEMENTS) and statement is not last)
                   or (isinstance(statement, LOOPS) and statement.orelse)
                   for statement in statements(self.function.body))

    def run(self) -> None:
        function = self.function
        before = bound_names(function.body)
        function.body = self.block(function.body, JumpPlan(last=True), function)
        after = set(bound_names(function.body))
        unbound = [name for name in before if name not in after]
        # Python takes a name for local even if all that binds it cannot be reached.
        insert_first(function, [at(function, declare(name, "local")) for name in unbound])

    @property
    def returned(self) -> str:
        """The name of the flag that is set when the function is about to return."""
        return self._return_names()[0]

    @property
    def result(self) -> str:
        """The name of the value that the function is about to return."""
        return self._return_names()[1]

    def _return_names(self) -> tuple[str, str]:
        if self._returned is None:
            self._returned = self.names.fresh("returned"), self.names.fresh("result")
        return self._returned

    def block(self, body: Body, plan: JumpPlan, origin: Any) -> Body:
        """Returns a block without the jumps that the plan removes."""
        done: Body = []
        for index, statement in enumerate(body):
            falls = self.facts.falls(statement)
            if self.facts.escapes(statement):
                return done + self.remove_from(statement, body[index + 1:], plan)
            done += self.self_contained(statement)
            if not falls:
                return done
        if plan.explicit:
            done.append(at(body[-1] if body else origin, gast.Return(constant(None))))
        return done

    def self_contained(self, statement: Any) -> Body:
        """Rewrites a statement that no jump leaves; there may be jumps of loops in it."""
        if isinstance(statement, LOOPS):
            return self.loop(statement, [], KEEP)
        self.inside(statement, KEEP, None)
        return [statement]

    def remove_from(self, statement: Any, rest: Body, plan: JumpPlan) -> Body:
        """Rewrites a statement that a jump leaves, and the rest of its block."""
        if isinstance(statement, (gast.Return, gast.Break, gast.Continue)):
            return self.jump(statement, plan)
        loop = isinstance(statement, LOOPS) and not self.facts.is_pinned(statement)
        if loop and not plan.keeps:
            return self.loop(statement, rest, plan)
        if plan.keeps or (plan.last and self.facts.is_direct(statement)):
            falls = self.facts.falls(statement)
            self.inside(statement, KEEP, None)
            return [statement, *(self.block(rest, plan, statement) if falls else [])]
        if isinstance(statement, (gast.If, gast.Match)) and (
                not rest or self.facts.ends(statement) <= 1):
            return self.move_rest_into_branches(statement, rest, plan)
        if plan.last and isinstance(statement, (*TRY, gast.With)) and (
                self.facts.ends_function(statement, rest)):
            return self.last_try(statement, plan)
        if plan.risky and has_exit(statement):
            return self.repeated_after(statement, rest, plan)
        return self.flagged(statement, rest, plan)

    def jump(self, statement: Any, plan: JumpPlan) -> Body:
        """Returns assignments to the flags of a jump, or the jump itself."""
        kind = JUMPS[statement.__class__]
        if (flags := plan.flags(kind)) is None:
            return [statement]
        made: Body = []
        if kind is Jump.RETURN and not _is_name(statement.value, self.result):
            made.append(assign(self.result, statement.value or constant(None)))
        if flags:
            made.append(gast.Assign([store(flag) for flag in flags], constant(True), None))
        return [at(statement, node) for node in made]

    # The rest of the block goes into a branch.

    def move_rest_into_branches(self, statement: Any, rest: Body, plan: JumpPlan) -> Body:
        """Moves the rest of the block to where control goes on after a statement."""
        plan = replace(plan, explicit=plan.last)

        def extended(body: Body, origin: Any) -> Body:
            return self.block(body + rest if self.facts.block_ends(body) else body, plan, origin)

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
        return [statement, *([] if ended else self.block([], plan, statement))]

    # `return` may stay where nothing follows.

    def last_try(self, statement: Any, plan: JumpPlan) -> Body:
        """Rewrites a `try` or `with` that nothing follows."""
        falls = self.facts.falls(statement)
        explicit = replace(plan, explicit=True)
        body_plan = KEEP if getattr(statement, "orelse", None) else explicit
        if not self.facts.block_falls(statement.body):
            body_plan = explicit
        statement.body = self.block(statement.body, body_plan, statement)
        # No `return` may stand in an `except*`; what falls out of it goes on below.
        handler_plan = KEEP if _is_star(statement) else explicit
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body, handler_plan, statement)
        if orelse := getattr(statement, "orelse", None):
            statement.orelse = self.block(orelse, explicit, statement)
        if finalbody := getattr(statement, "finalbody", None):
            statement.finalbody = self.block(finalbody, KEEP, statement)
        return [statement, *(self.block([], plan, statement) if falls else [])]

    # Several paths go on: a flag guards the rest.

    def flagged(self, statement: Any, rest: Body, plan: JumpPlan) -> Body:
        """Guards the rest of the block by a flag that the jumps set."""
        kinds = self.facts.escapes(statement)
        if plan.last:
            self.inside(statement, JumpPlan((self.returned,)), self.returned)
            start = at(statement, assign(self.returned, constant(False)))
            return [start, statement, self.return_or_rest(statement, rest, plan)]
        guard, start = self.common_flag(kinds, plan), []
        if guard is None and (rest or getattr(statement, "orelse", None)):
            guard = self.names.fresh("skip")
            start = [at(statement, assign(guard, constant(False)))]
            plan = plan.skipping(guard)
        self.inside(statement, plan, guard)
        return [*start, statement, *self.guarded(guard, rest, plan)]

    def common_flag(self, kinds: Jump, plan: JumpPlan) -> str | None:
        """Returns a flag that each of these kinds of jump sets anyway, if there is one."""
        sets = [plan.flags(kind) or () for kind in Jump if kind in kinds]
        return next((flag for flag in sets[0] if all(flag in flags for flags in sets)), None)

    def guarded(self, guard: str | None, rest: Body, plan: JumpPlan) -> Body:
        """Returns `if not guard: rest`."""
        if not rest:
            return []
        assert guard is not None
        body = self.block(rest, plan, rest[0])
        return [at(rest[0], gast.If(negated(load(guard)), body, []))] if body else []

    def return_or_rest(self, statement: Any, rest: Body, plan: JumpPlan) -> Any:
        """Returns `if returned: return result`, with the rest as `else`."""
        leave = at(statement, gast.Return(load(self.result)))
        orelse = self.block(rest, replace(plan, explicit=True), statement)
        return at(statement, gast.If(load(self.returned), [leave], orelse))

    def inside(self, statement: Any, plan: JumpPlan, guard: str | None) -> None:
        """Rewrites the blocks of a statement; `else` of a `try` is skipped after a jump."""
        if isinstance(statement, (*LOOPS, *TRY, gast.With)):
            self.inside_guarded(statement, plan, guard)
        else:
            blocks_replaced(statement, lambda body: self.block(body, plan, body[0])
                            or [at(body[0], gast.Pass())])

    def inside_guarded(self, statement: Any, plan: JumpPlan, guard: str | None) -> None:
        caught = getattr(statement, "handlers", None) or isinstance(statement, gast.With)
        body_plan = replace(plan, risky=True) if caught else plan
        left = self.facts.out_of(statement.body)
        for field in ("body", "orelse", "finalbody"):
            if not (body := getattr(statement, field, None)):
                continue
            if field == "orelse" and left and guard and isinstance(statement, TRY):
                new = self.guarded(guard, body, plan)
            else:
                keeps = field == "finalbody" or (isinstance(statement, LOOPS) and field == "body")
                new = self.block(body, KEEP if keeps else
                                 body_plan if field == "body" else plan, body[0])
            setattr(statement, field, new or [at(body[0], gast.Pass())])
        for handler in getattr(statement, "handlers", ()):
            handler.body = self.block(handler.body, plan, handler) or [at(handler, gast.Pass())]

    def repeated_after(self, statement: Any, rest: Body, plan: JumpPlan) -> Body:
        """Rewrites jumps through an exit that may raise: they count once the exit has run.

        The jumps set flags of their own, and are repeated after the statement.
        """
        flags: dict[Jump, str] = {}
        again: Body = []
        for kind, jump in ((Jump.RETURN, gast.Return(load(self.result))),
                           (Jump.BREAK, gast.Break()), (Jump.CONTINUE, gast.Continue())):
            if kind in self.facts.escapes(statement):
                flags[kind] = self.names.fresh("left")
                again.append(at(statement, gast.If(load(flags[kind]), [jump], [])))
        returning, breaking, continuing = (
            (flags[kind],) if kind in flags else None for kind in JUMPS.values())
        own_plan = JumpPlan(returning, breaking, continuing)
        start = [at(statement, assign(flag, constant(False))) for flag in flags.values()]
        return [*start, *self.flagged(statement, [], own_plan),
                *self.block(again + rest, plan, statement)]

    # Loops

    def loop(self, loop: Any, rest: Body, plan: JumpPlan) -> Body:
        """Rewrites a loop; its `break` becomes `if flag: break` at the end of its body."""
        if self.facts.is_pinned(loop):
            self.inside(loop, plan, None)
            return [loop]
        jumps, falls = self.facts.out_of(loop.body), self.facts.falls(loop)
        stop = self.names.fresh("stop") if Jump.BREAK in jumps else None
        returns = Jump.RETURN in jumps
        start = [stop] if stop else []
        if returns and plan.last:
            start.append(self.returned)
        loop.body = self.loop_body(loop, stop, returns, plan)
        orelse, loop.orelse = loop.orelse, []
        if stop and orelse:
            orelse = [at(orelse[0], gast.If(negated(load(stop)), orelse, []))]
        made = [*(at(loop, assign(flag, constant(False))) for flag in start), loop]
        return made + self.after_loop(loop, orelse + rest, plan, returns, falls)

    def loop_body(self, loop: Any, stop: str | None, returns: bool, plan: JumpPlan) -> Body:
        stops = (stop,) if stop else ()
        returned = plan.returning or ((self.returned,) if returns else ())
        inside = JumpPlan((*returned, *stops), stops, (), risky=plan.risky)
        body = self.block(loop.body, inside, loop)
        if flag := stop or (returned[0] if returns else None):
            body.append(at(loop, gast.If(load(flag), [gast.Break()], [])))
        return body or [at(loop, gast.Pass())]

    def after_loop(self, loop: Any, rest: Body, plan: JumpPlan, returns: bool, falls: bool) -> Body:
        """Returns what follows a loop: its `else`, then the rest of the block."""
        if not returns:
            return self.block(rest, plan, loop) if falls else []
        if plan.returning:
            return self.guarded(plan.returning[0], rest, plan)
        if not falls:
            return [at(loop, gast.Return(load(self.result)))]
        return [self.return_or_rest(loop, rest, plan)]


def _is_star(statement: Any) -> bool:
    return isinstance(statement, TRY) and not isinstance(statement, gast.Try)


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name
