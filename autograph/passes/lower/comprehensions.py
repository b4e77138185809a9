"""Turns comprehensions into operators, so that their iterables and tests may be symbolic.

>>> from autograph.passes.pipeline import show
>>> show("comprehensions", '''
... def f(x, y):
...     total = sum(v * v for v in x)
...     table = {i: a for i, a in enumerate(x) if a if i}
...     pairs = [a * b for a in x for b in y]
...     sums = [i + a * b for i, (a, b) in y]
...     return total, table, pairs, sums, [g() for _ in (1, 2)]
... ''')
def f(x, y):
    total = sum(ag.generator(lambda v: v * v, x))
    table = ag.dict_comp(lambda i, a: (i, a), enumerate(x), where=lambda i, a: a and i)
    pairs = ag.list_comp(lambda a: ag.generator(lambda b: a * b, y), x, nested=True)
    sums = ag.list_comp(lambda i, item: ag.generator(lambda a, b: i + a * b, (item,)), y,
                        nested=True)
    return total, table, pairs, sums, [g() for _ in (1, 2)]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.statements import COMPREHENSIONS
from autograph.operators.comprehensions import UNPACK
from autograph.passes.rewriter import Rewriter, needs_frame
from autograph.syntax.node_builders import at, call, load, operator, parameters, store, tuple_of
from autograph.syntax.node_inventory import below

OPERATORS = {gast.ListComp: "list_comp", gast.SetComp: "set_comp", gast.DictComp: "dict_comp",
             gast.GeneratorExp: "generator"}

DISPLAYS = (gast.List, gast.Tuple, gast.Set, gast.Dict, gast.Constant, gast.JoinedStr)
OF_CONTAINERS = frozenset({"items", "keys", "values", "split", "splitlines"})
CONSUMERS = frozenset({"sum", "any", "all", "min", "max", "list", "tuple", "set", "frozenset",
                       "dict", "sorted"})
STOPPING = frozenset({"any", "all"})


def run(tree: Any, unit: Unit) -> Any:
    """Rewrites comprehensions that may meet symbolic values, if lambdas can do their work."""
    return _Comprehensions(unit, frozenset(_used_up(tree))).top(tree)


class _Comprehensions(Rewriter):
    def __init__(self, unit: Unit, used_up: frozenset[Any]) -> None:
        super().__init__(unit)
        self.used_up = used_up

    def comprehend(self, node: Any) -> Any:
        symbolic = self.unit.context.site_instrumented or _may_be_symbolic(node)
        rewrites = (symbolic or self.may_stop(node)) and self.can_move(node)
        self.inside(node)
        return self.rewritten(node) if rewrites else node

    ListComp = SetComp = DictComp = GeneratorExp = comprehend

    def may_stop(self, node: Any) -> bool:
        """Returns True if a symbolic value may decide how often a generator calls something."""
        return isinstance(node, gast.GeneratorExp) and node not in self.used_up and any(
            isinstance(n, gast.Call) for n in below(node.elt))

    def can_move(self, node: Any) -> bool:
        """Returns True if functions of the items can do what the comprehension does."""
        return (all(not g.is_async and _is_simple(g.target) for g in node.generators)
                and not needs_frame(node, self.unit.names)
                and not any(_keeps_variables(x, _names(node)) for x in _values(node)))

    def rewritten(self, node: Any) -> Any:
        node.generators = [g for each in node.generators for g in self.in_steps(each)]
        element = _values(node)
        value = element[0] if len(element) == 1 else at(element[0], tuple_of(element))
        name = OPERATORS[node.__class__]
        for index in reversed(range(len(node.generators))):
            last = index == len(node.generators) - 1
            value = self.over(node, "generator" if index else name, node.generators[index], value,
                              nested=not last)
        return value

    def in_steps(self, generator: Any) -> list[Any]:
        """`for a, (b, c) in x` as `for a, item in x for b, c in (item,)`."""
        later = []
        for i, part in enumerate(parts := _parts(generator.target)):
            if isinstance(part, gast.Tuple):
                name = self.unit.names.fresh("item")
                parts[i] = at(part, store(name))
                inner = gast.comprehension(part, at(part, tuple_of([load(name)])), [], False)
                later += self.in_steps(inner)
        if later:
            generator.ifs, later[-1].ifs = [], generator.ifs
        return [generator, *later]

    def over(self, node: Any, name: str, generator: Any, value: Any, nested: bool) -> Any:
        """Returns the call of the operator for one `for`."""
        names = [n.id for n in _parts(generator.target)]
        names = [self.unit.names.fresh("unused") if n in names[k:] else n
                 for k, n in enumerate(names, 1)]
        made = call(operator(self.unit.context.ag, name),
                    at(value, gast.Lambda(parameters(names), value)), generator.iter)
        if generator.ifs:
            test = generator.ifs[0] if len(generator.ifs) == 1 else at(
                generator.ifs[0], gast.BoolOp(gast.And(), generator.ifs))
            made.keywords.append(gast.keyword(
                "where", at(test, gast.Lambda(parameters(names), test))))
        if nested:
            made.keywords.append(gast.keyword("nested", gast.Constant(True, None)))
        return at(node, made)


def _used_up(tree: Any) -> Iterator[Any]:
    """Yields the generators whose only use is a call that always iterates them to their end."""
    for node in below(tree):
        if isinstance(node, gast.Call) and len(node.args) == 1:
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in CONSUMERS - STOPPING or called == "join":
                yield node.args[0]


def _values(node: Any) -> list[Any]:
    return [node.key, node.value] if isinstance(node, gast.DictComp) else [node.elt]


def _parts(target: Any) -> list[Any]:
    """Returns the targets of the parts of an item: the target's own list, if it is a tuple."""
    return target.elts if isinstance(target, gast.Tuple) else [target]


def _is_simple(target: Any) -> bool:
    """Returns True if a target is a name, or unpacks to a few names.

    In a flat tuple, a name may occur twice.
    """
    nodes = [n for n in gast.walk(target) if not isinstance(n, gast.Store)]
    tuples = [n for n in nodes if isinstance(n, gast.Tuple)]
    names = [n for n in nodes if not isinstance(n, gast.Tuple)]
    return all(isinstance(n, gast.Name) for n in names) and (len(tuples) < 2 or len(names) == len(
        {n.id for n in names})) and all(len(n.elts) in UNPACK for n in tuples)


def _may_be_symbolic(node: Any) -> bool:
    """Returns True if a test, or the length of an iterable, may be symbolic."""
    return any(g.ifs or not _is_container(g.iter) for g in node.generators)


def _is_container(items: Any) -> bool:
    if isinstance(items, gast.Call):
        return isinstance(items.func, gast.Attribute) and items.func.attr in OF_CONTAINERS
    if isinstance(items, COMPREHENSIONS):
        return not _may_be_symbolic(items)
    return isinstance(items, DISPLAYS)


def _names(node: Any) -> set[str]:
    """Returns the variables that a comprehension binds."""
    return {n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name)}


def _keeps_variables(value: Any, names: set[str]) -> bool:
    """Returns True if something in a value may look at the variables of the comprehension later.

    All such functions share the variables, which end with the last item's values. The defaults of a
    lambda are given at once.
    """
    consumed = {n.args[0] for n in below(value) if isinstance(n, gast.Call) and len(n.args) == 1
                and isinstance(n.func, gast.Name) and n.func.id in CONSUMERS}
    return any((isinstance(n, gast.Lambda) and not names.isdisjoint(_free(n)))
               or (isinstance(n, gast.GeneratorExp) and n not in consumed)
               or (isinstance(n, gast.Name) and n.id in ("super", "__class__"))
               for n in below(value))


def _free(function: Any) -> set[str]:
    """Returns the variables that the body of a lambda may look at, but for its parameters."""
    given = {n.id for n in gast.walk(function.args) if isinstance(n, gast.Name)
             and isinstance(n.ctx, gast.Param)}
    return {n.id for n in gast.walk(function.body) if isinstance(n, gast.Name)} - given
