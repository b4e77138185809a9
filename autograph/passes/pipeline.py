"""The list of passes, in the order in which they run, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, TypeVar

import gast

from autograph.analysis.analyses import Unit
from autograph.analysis.frame_views import NAMING
from autograph.passes.lower import (
    allocation_sites,
    asserts,
    calls,
    comparisons,
    comprehension_variables,
    comprehensions,
    conditional_expressions,
    control_flow,
    given,
    lists,
    loads,
    logical,
    raises,
    special_names,
    stores,
    strings,
    subscripts,
    unpacking,
    variables,
)
from autograph.passes.normalise import (
    declarations,
    jumps,
    lazy_bindings,
    loop_options,
    loop_tests,
    matches,
    own_bindings,
    own_names,
    private_names,
    super_calls,
)
from autograph.syntax import supported_syntax
from autograph.syntax.context import Context
from autograph.syntax.errors import ConversionError, InternalError, Span
from autograph.syntax.gast_conversion import copied
from autograph.syntax.node_inventory import SPECIAL_TESTS, Inventory

Tree = TypeVar("Tree", gast.FunctionDef, gast.Lambda)


@dataclass(frozen=True)
class Pass:
    """A step of the compiler: a function from tree to tree.

    With `on`, it is left out for functions without a node of these kinds; with `mentions`, for
    functions that mention none of these words. One that `moves` statements or names into other
    functions is left out for generators, whose frame must stay.
    """

    name: str
    run: Callable[[Any, Unit], Any]
    on: frozenset[type] = frozenset()
    mentions: frozenset[str] = frozenset()
    moves: bool = False

    def concerns(self, inventory: Inventory) -> bool:
        """Returns True if the pass may have something to do in a function of this inventory."""
        return (not self.on or not self.on.isdisjoint(inventory.kinds)) and (
            not self.mentions or inventory.mentions(self.mentions))


BRANCHING = frozenset({gast.If, gast.While, gast.For, gast.Match, gast.NamedExpr})
DECLARING = frozenset({gast.Global, gast.Nonlocal, gast.AnnAssign})
STORING = frozenset({
    gast.Assign, gast.AugAssign, gast.For, gast.With, gast.AnnAssign, gast.Delete})
LAZY = frozenset({gast.BoolOp, gast.And, gast.IfExp})
COMPREHENSIONS = frozenset({gast.ListComp, gast.SetComp, gast.DictComp})


PASSES: tuple[Pass, ...] = (
    Pass("private_names", private_names.run),
    Pass("own_names", own_names.run, mentions=frozenset({NAMING})),
    Pass("matches", matches.run, on=frozenset({gast.Match})),
    Pass("declarations", declarations.run, on=DECLARING),
    Pass("loop_options", loop_options.run, mentions=frozenset({"set_loop_options"})),
    Pass("loop_tests", loop_tests.run, on=frozenset({gast.While}), moves=True),
    Pass("own_bindings", own_bindings.run, on=frozenset({gast.NamedExpr})),
    Pass("lazy_bindings", lazy_bindings.run, on=frozenset({gast.NamedExpr}), moves=True),
    Pass("jumps", jumps.run, moves=True),
    Pass("super_calls", super_calls.run, mentions=frozenset({"super"})),
    Pass("variables", variables.run, on=BRANCHING | LAZY | COMPREHENSIONS | {gast.Assert},
         moves=True),
    Pass("comprehension_variables", comprehension_variables.run, on=COMPREHENSIONS, moves=True),
    Pass("control_flow", control_flow.run, on=BRANCHING, moves=True),
    Pass("comprehensions", comprehensions.run, on=COMPREHENSIONS | {gast.GeneratorExp}),
    Pass("asserts", asserts.run, on=frozenset({gast.Assert})),
    Pass("lists", lists.run, on=frozenset({gast.List, gast.NamedExpr})),
    Pass("allocation_sites", allocation_sites.run),
    Pass("subscripts", subscripts.run, on=frozenset({gast.Subscript, gast.NamedExpr})),
    Pass("strings", strings.run, on=frozenset({gast.JoinedStr, gast.Mod})),
    Pass("special_names", special_names.run, mentions=special_names.NAMES),
    Pass("given", given.run),
    Pass("comparisons", comparisons.run, on=SPECIAL_TESTS | {gast.And, gast.Match}),
    Pass("logical", logical.run, on=BRANCHING | LAZY | COMPREHENSIONS | {
        gast.GeneratorExp, gast.Not}),
    Pass("conditional_expressions", conditional_expressions.run, on=frozenset({gast.IfExp})),
    Pass("raises", raises.run, on=frozenset({gast.Raise})),
    Pass("calls", calls.run),
    Pass("unpacking", unpacking.run),
    Pass("stores", stores.run, on=STORING),
    Pass("loads", loads.run, on=frozenset({gast.Attribute})),
)

OPTIONAL = ("comprehensions", "asserts", "lists", "subscripts", "strings", "comparisons",
            "logical", "conditional_expressions", "raises")
"""Passes that can be left out: their constructs then stay Python, for plain values only."""


def run(tree: Tree, context: Context, *, stop_after: str | None = None,
        observe: Callable[[str, Tree], None] | None = None,
        without: Container[str] = (), inventory: Inventory | None = None,
        keep: bool = True) -> Tree:
    """Returns the converted tree of one function; a new tree if `keep`.

    `stop_after` names the last pass to run, `without` holds passes to leave out; `observe` is
    called with the name of each pass and the tree after it. `inventory` is that of the tree, if it
    is known.
    """
    inventory = supported_syntax.check(tree, context, inventory)
    if keep:
        tree = copied(tree)
    unit = Unit(tree, context, inventory)
    for step in PASSES:
        if step.name not in without and step.concerns(inventory) and not (
                step.moves and context.suspends):
            tree = _done(step, tree, unit)
        if observe is not None:
            observe(step.name, tree)
        if step.name == stop_after:
            break
    return tree


def _done(step: Pass, tree: Any, unit: Unit) -> Any:
    try:
        return step.run(tree, unit)
    except (RecursionError, ConversionError):
        raise
    except Exception as error:
        raise _internal(step, tree, unit.context, error) from error


def _internal(step: Pass, tree: Any, context: Context, error: Exception) -> InternalError:
    return InternalError(
        f"the pass {step.name!r} failed: {type(error).__name__}: {error}",
        Span.of(tree, context.filename), "please report it with the function's source")


def show(name: str, source: str, *, upto: bool = False, class_name: str | None = None) -> None:
    """Prints the first function of a source after a pass: for docstrings and tests.

    With `upto`, all passes before it run as well.
    """
    from autograph.printer.original_literals import OriginalLiterals
    from autograph.printer.statements import to_text

    source = source.strip("\n")
    tree = gast.parse(source).body[0]
    literals = OriginalLiterals(tree, source.split("\n"))
    context = Context(class_name=class_name)
    if upto:
        tree = run(tree, context, stop_after=name)
    else:
        step = next(step for step in PASSES if step.name == name)
        tree = step.run(tree, Unit(tree, context))
    print(to_text(tree, literals=literals).strip())
