"""Turns `if`, `while` and `for` into functions of the variables that travel, and one call.

A branch or a loop body becomes an inner function, so that an operator can run it, or trace it. Its
parameters are the names that are live into it, and it returns the values of those that are live out
(see `analysis.liveness`); the call of the operator assigns them. So state goes in as parameters and
comes out as results. Shared names, which closures or handlers see, are no parameters: the function
declares them `nonlocal` or `global`. A branch that only chooses a value becomes a lambda, and an
absent one `ag.identity`. The functions of a long `elif` chain stand side by side.

>>> from autograph.passes.pipeline import show
>>> show("control_flow", '''
... def f(n):
...     while n > 1:
...         if n % 2:
...             n = 3 * n + 1
...         else:
...             n = n // 2
...     return n
... ''')
def f(n):
<BLANKLINE>
    def loop_test(n):
        return n > 1
<BLANKLINE>
    def loop_body(n):
<BLANKLINE>
        def if_true(n):
            return 3 * n + 1
<BLANKLINE>
        def if_false(n):
            return n // 2
        return (ag.cond(n % 2, if_true, if_false, n),)
    (n,) = ag.while_loop(loop_test, loop_body, (n,))
    return n
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.completion import Completion, endless
from autograph.analysis.liveness import LiveNames
from autograph.analysis.scopes import Collector, bound_names
from autograph.analysis.statements import flagged_break, idle, own_nodes
from autograph.passes.lower.block_results import with_results_returned
from autograph.passes.normalise.loop_options import split_options
from autograph.syntax.node_builders import (
    assign,
    at,
    blocks_replaced,
    call,
    constant,
    declare,
    function,
    insert_first,
    load,
    negated,
    operator,
    thunk,
    tuple_of,
    unpack,
)

DEEPEST_LAMBDA = 2
LONG_CHAIN = 5


def run(tree: Any, unit: Unit) -> Any:
    """Converts the statements of every function."""
    for definition in unit.functions:
        _Converter(unit, definition).run()
    return tree


class _Converter:
    def __init__(self, unit: Unit, definition: Any) -> None:
        self.unit, self.definition = unit, definition
        self.state = unit.state(definition)
        self.completion = Completion()
        self.depth = 0
        self.arms: dict[Any, int] = {}
        self.made: set[Any] = set()

    def run(self) -> None:
        definition, scope = self.definition, self.state.scope
        definition.body = self.block(definition.body)
        at_home = {*bound_names(definition.body), *scope.parameters}
        homeless = [name for name in scope.bits if name not in at_home]
        if homeless:
            seen = Collector()
            seen.visit_all(definition.body)
            needed = {*self.state.shared, *seen.reads, *seen.captured}
            insert_first(definition, [at(definition, declare(name, "shared"))
                                      for name in homeless if name in needed])

    def block(self, body: list[gast.stmt]) -> list[gast.stmt]:
        return [s for statement in body for s in self.statement(statement)]

    def statement(self, statement: Any) -> list[Any]:
        """Returns the statements that replace a statement."""
        live = self.state.live_names.get(statement)
        if live is not None:
            return CONVERTERS[statement.__class__](self, statement, live)
        blocks_replaced(statement, self.block)
        if self.depth and isinstance(statement, gast.AnnAssign):
            return [self.plain(statement)]
        return [statement]

    def plain(self, statement: Any) -> Any:
        """Removes the annotation of a shared name: generated functions declare it `nonlocal`."""
        target = statement.target
        if not isinstance(target, gast.Name) or target.id not in self.state.shared:
            return statement
        return gast.copy_location(gast.Assign([target], statement.value, None), statement)

    def inner(self, body: list[gast.stmt]) -> list[gast.stmt]:
        """Converts a block that becomes the body of a function."""
        self.depth += 1
        inside = self.block(body)
        self.depth -= 1
        return inside

    def function(self, origin: Any, name: str, names: list[str], body: list[Any]) -> Any:
        """Returns the definition of a generated function."""
        body = [s for s in body if not isinstance(s, gast.Pass)] or body
        body = [*self.declarations(body, names), *body]
        return at(origin, function(name, names, body))

    def declarations(self, body: list[gast.stmt], own: list[str]) -> list[gast.stmt]:
        """Returns `nonlocal` and `global` statements for the shared names that a block binds."""
        by_word: dict[str, list[str]] = {}
        for name in bound_names(body) if self.state.shared else ():
            if name in self.state.shared and name not in own:
                word = self.state.scope.outer.get(name, "nonlocal")
                by_word.setdefault(word, []).append(name)
        kinds = {"global": gast.Global, "nonlocal": gast.Nonlocal}
        return [kinds[word](names) for word, names in by_word.items()]

    def operation(self, name: str, *arguments: gast.expr) -> gast.Call:
        """Returns, and records, a call of an operator."""
        made = call(operator(self.unit.context.ag, name), *arguments)
        self.made.add(made)
        return made

    def branch(self, node: gast.If, live: LiveNames) -> list[Any]:
        """Returns what replaces an `if`: definitions of the branches, and `ag.cond`."""
        arm = self.arm(node)
        names = [self.unit.names.reusable(f"{name}_{arm}" if arm else name)
                 for name in ("if_true", "if_false")]
        falls = [self.completion.block_falls(body) for body in (node.body, node.orelse)]
        insides = [self.inner(node.body), self.inner(node.orelse)]
        definitions: list[Any] = []
        beside: list[Any] = []
        if arm and node.orelse and self.arms.get(node.orelse[0]) == arm + 1:
            *beside, answer = insides[1]
            insides[1] = [answer]
        if (values := self.values(insides, live)) is not None:
            value = self.choice(node.test, *values)
            return [*beside, at(node, _received(value, live))]
        answers = [live.returns and not live.live_in and _is_answer(b) for b in insides]
        choices: list[Any] = []
        for name, body, through, answer in zip(names, insides, falls, answers, strict=True):
            if answer and (all(answers) or not _lambdas(body[0].value)):
                answer = body[0].value or at(body[0], constant(None))
                choices.append(at(node, thunk(answer)))
            else:
                definitions += self.alternative(node, name, body, live, through)
                choices.append(operator(self.unit.context.ag, "identity") if idle(body)
                               else load(name))
        value = self.choice(node.test, *choices, *map(load, live.live_in))
        return [*definitions, *beside, at(node, _received(value, live))]

    def choice(self, test: Any, *arguments: Any) -> gast.Call:
        """Returns the call of `ag.cond`; for `not test`, two lambdas are swapped."""
        if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not) and all(
                isinstance(choice, gast.Lambda) for choice in arguments[:2]):
            if_not, if_so = arguments
            return self.operation("cond", test.operand, if_so, if_not)
        return self.operation("cond", test, *arguments)

    def values(self, bodies: list[list[Any]], live: LiveNames) -> list[Any] | None:
        """Returns both branches as lambdas, if all they do is to choose the value of one name."""
        if live.returns or len(live.live_out) != 1:
            return None
        found = [_only_value(body, live.live_out[0]) for body in bodies]
        if any(v is None or _lambdas(v) >= DEEPEST_LAMBDA for v in found) or any(
                isinstance(n, gast.NamedExpr) or (
                    isinstance(n, gast.Name) and n.id in live.live_in)
                for body, v in zip(bodies, found, strict=True) if not idle(body)
                for n in gast.walk(v)):
            return None
        return [thunk(v) for v in found]

    def arm(self, node: gast.If) -> int:
        """Returns the number of an `if` in a long chain of `elif`, from 1; 0 if it is in none.

        The functions of such a chain are defined side by side, not each inside the one before.
        """
        if node not in self.arms:
            chain = [node]
            while (following := self.next_arm(chain[-1])) is not None:
                chain.append(following)
            long = len(chain) >= LONG_CHAIN
            self.arms.update((one, index if long else 0) for index, one in enumerate(chain, 1))
        return self.arms[node]

    def next_arm(self, node: gast.If) -> Any:
        """Returns the `if` that is all of an `else`, unless its test binds a name."""
        if len(node.orelse) == 1 and isinstance(following := node.orelse[0], gast.If):
            binds = any(isinstance(n, gast.NamedExpr) for n in own_nodes(following.test))
            return following if following in self.state.live_names and not binds else None
        return None

    def alternative(self, node: Any, name: str, body: list[Any], live: LiveNames,
                    falls: bool) -> list[Any]:
        """Returns the definition of a branch, if it needs one."""
        if idle(body):
            return []
        if falls and live.live_out:
            body = with_results_returned(body, live.live_out, len(live.live_out) == 1, self.made)
        return [self.function(node, name, list(live.live_in), body)]

    def loop(self, node: Any, live: LiveNames) -> list[Any]:
        """Returns what replaces a loop: definitions, and `ag.while_loop` or `ag.for_loop`."""
        names = list(live.live_in)
        flag = flagged_break(node)
        options, body = split_options(node.body[:-1] if flag else node.body, self.unit)
        falls = self.completion.block_falls(body)
        inside = self.inner(body)
        first, before = self.item(node, names) if isinstance(node, gast.For) else ([], [])
        inside = [*before, *inside]
        if falls:
            inside = with_results_returned(inside, live.live_in, False, self.made, node)
        name = self.unit.names.reusable("loop_body")
        definition = self.function(node, name, [*first, *names], inside)
        test = self.test(node, names, flag)
        value = self.loop_call(node, definition, test, names)
        value.keywords += options
        received = unpack(names, value) if names else gast.Expr(value)
        return [*test, definition, at(node, received)]

    def loop_call(self, node: Any, body: Any, test: list[Any], names: list[str]) -> gast.Call:
        """Returns the call of the operator of a loop."""
        state = tuple_of([load(name) for name in names])
        tests = [load(definition.name) for definition in test]
        if isinstance(node, gast.While):
            return self.operation("while_loop", *tests, load(body.name), state)
        value = self.operation("for_loop", node.iter, load(body.name), state)
        value.keywords = [gast.keyword("test", test) for test in tests]
        return value

    def test(self, node: Any, names: list[str], flag: gast.Name | None) -> list[Any]:
        """Returns the definition of the test of a loop, if there is one."""
        going = negated(flag) if flag else None
        if isinstance(node, gast.While):
            if going is None:
                going = node.test
            elif not endless(node):
                going = gast.BoolOp(gast.And(), [going, node.test])
        if going is None:
            return []
        answer = at(node, gast.Return(at(node, going)))
        return [self.function(node, self.unit.names.reusable("loop_test"), names, [answer])]

    def item(self, node: gast.For, names: list[str]) -> tuple[list[str], list[Any]]:
        """Returns the parameter for the item, and the statement that assigns it to the target."""
        target = node.target
        if isinstance(target, gast.Name) and target.id not in (*names, *self.state.shared):
            return [target.id], []
        item = self.unit.names.reusable("item")
        return [item], [at(target, gast.Assign([target], load(item), None))]


def _only_value(body: list[Any], name: str) -> Any:
    """Returns the value that a block assigns to a name if it does nothing else.

    The value of a block that does nothing is the name itself.
    """
    if idle(body):
        return load(name)
    if len(body) == 1 and isinstance(body[0], gast.Assign) and len(body[0].targets) == 1 and (
            getattr(body[0].targets[0], "id", None) == name):
        return body[0].value
    return None


def _is_answer(body: list[Any]) -> bool:
    """Returns True if a block is one `return` that a lambda can replace and still be readable."""
    return (len(body) == 1 and isinstance(body[0], gast.Return)
            and _lambdas(body[0].value) < DEEPEST_LAMBDA
            and not any(isinstance(node, gast.NamedExpr) for node in own_nodes(body[0])))


def _lambdas(node: Any) -> int:
    """Returns how many lambdas of ours are nested in the call that a block returns."""
    if not isinstance(node, gast.Call):
        return 0
    return max((1 + _lambdas(argument.body) for argument in node.args
                if isinstance(argument, gast.Lambda)), default=0)


def _received(value: gast.expr, live: LiveNames) -> gast.stmt:
    """Returns the statement that receives the results of `ag.cond`."""
    if live.returns:
        return gast.Return(value)
    if len(live.live_out) == 1:
        return assign(live.live_out[0], value)
    return unpack(live.live_out, value) if live.live_out else gast.Expr(value)


CONVERTERS = {gast.If: _Converter.branch, gast.While: _Converter.loop, gast.For: _Converter.loop}
