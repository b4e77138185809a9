"""Takes one live function through the compiler: finds its source, rewrites it, loads or prints it.

A function object leads to its file, and there to its tree, which must compile to the running code
(`syntax.source`). The passes rewrite the tree. `loaded` compiles the result with the user's file
name and positions, so that tracebacks and debuggers show the user's lines; `text_of` prints it for
`ag.to_code`. Nothing is cached here: that is the work of `convert`.

Generated code reaches the operators by a name, mostly `ag`. A function that uses `ag` for something
else gets `ag_1` (`name_for_operators`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.conversion.call_resolution import Answers, Resolve, live_lookup, resolver
from autograph.conversion.load import Loaded, load
from autograph.operators.given import name_of
from autograph.passes import pipeline
from autograph.passes.normalise.resumed import resumed_form
from autograph.passes.normalise.stops import stop_form
from autograph.passes.normalise.yields import list_form, push_form
from autograph.syntax import verbosity
from autograph.syntax.context import CallRule, Context
from autograph.syntax.errors import Span, UnsupportedSyntaxError
from autograph.syntax.gast_conversion import copied
from autograph.syntax.names import fresh
from autograph.syntax.node_inventory import Inventory, inventory_of
from autograph.syntax.recursion_limit import deep_recursion
from autograph.syntax.source import FUTURE, Source, Tree, find
from autograph.syntax.source_file import TOO_DEEP

Observe = Callable[[str, Any], None]


@dataclass(frozen=True)
class Rewritten:
    """A rewritten tree and what it was made from."""

    tree: Tree
    source: Source
    ag: str
    answers: Answers


def rewrite(function: FunctionType, operators: Any, recursive: bool = True,
            keep: bool = True, site_instrumented: bool = False,
            names_stores: bool = False) -> Rewritten:
    """Finds a live function's tree and runs the passes over it.

    `keep`: over a copy of the tree. `site_instrumented`: the code is to report each container that
    it makes, with the place in the code that makes it. `names_stores`: and what it stores into.
    """
    source = find(function)
    shown = _Steps(source) if verbosity.is_logged(verbosity.PASSES) else None
    inventory = inventory_of(source.tree)
    ag = name_for_operators(inventory.names, _is_operators(function, operators))
    answers = Answers()
    resolve = resolver(live_lookup(function, source.file), answers)
    context = context_of(source, ag, resolve if recursive else without_callees(resolve),
                         site_instrumented, names_stores)
    context = replace(context, given=_given(function, inventory.names))
    tree = run_passes(source.tree, context, observe=shown, inventory=inventory, keep=keep)
    return Rewritten(tree, source, ag, answers)


def loaded(function: FunctionType, operators: Any, recursive: bool = True,
           site_instrumented: bool = False, plain: bool = False) -> Loaded:
    """Returns the compiled code of a converted function; for the arguments see `rewrite`.

    `plain`: the code of a function that runs as it was written unless a trace is being made.
    """
    rewritten = rewrite(function, operators, recursive,
                        plain or verbosity.is_logged(verbosity.CODE), site_instrumented, True)
    code = function.__code__
    verbosity.log(verbosity.CONVERSIONS, "converted %s, %s:%d", function.__qualname__,
                  code.co_filename, code.co_firstlineno)
    if verbosity.is_logged(verbosity.CODE):
        verbosity.log(verbosity.CODE, "%s becomes\n%s", function.__qualname__, text_of(rewritten))
    written = _as_written(rewritten.source) if plain else None
    made = load(rewritten.tree, code, rewritten.ag, code.co_flags & FUTURE, written,
                rewritten.source.file)
    return replace(made, answers=rewritten.answers)


def _as_written(source: Source) -> Tree:
    """Returns the tree of a function with its private names in full: it has left its class."""
    context = Context(source.filename, class_name=source.class_name)
    return run_passes(source.tree, context, stop_after="private_names")


def loaded_push_form(function: FunctionType, operators: Any, sees_sites: bool
                     ) -> Loaded | None:
    """Returns the compiled push form of a generator, or None if it has none.

    That form calls its first argument with each value instead of yielding it.
    """
    return _loaded_form(function, operators, sees_sites, lambda tree, names: push_form(
        tree, fresh("consume", names), fresh("item", names)))


def loaded_stop_form(function: FunctionType, operators: Any, sees_sites: bool
                     ) -> Loaded | None:
    """Returns the compiled stop form of a `__next__`, or None if it has none.

    That form returns whether there is an item, and the item, instead of raising `StopIteration`.
    """
    return _loaded_form(function, operators, sees_sites, lambda tree, names: stop_form(tree))


def loaded_list_form(function: FunctionType, operators: Any, sees_sites: bool
                     ) -> Loaded | None:
    """Returns the compiled list form of a generator, or None if it has none.

    That form returns a list of all values.
    """
    return _loaded_form(function, operators, sees_sites, lambda tree, names: list_form(
        tree, fresh("made", names), fresh("item", names)))


def loaded_resumed_form(function: FunctionType, operators: Any, sees_sites: bool
                        ) -> Loaded | None:
    """Returns the compiled resumed form of a generator, or None if it has none.

    That form returns a function that goes on with the generator, up to the next `yield`.
    """
    is_ours = _is_operators(function, operators)
    return _loaded_form(function, operators, sees_sites, lambda tree, names: resumed_form(
        tree, name_for_operators(names, is_ours), names))


def loaded_generator(function: FunctionType, operators: Any, sees_sites: bool
                     ) -> Loaded | None:
    """Returns the compiled code of a generator that stays one, which Python runs: its expressions
    are converted, its statements are as they were written."""
    return _loaded_form(function, operators, sees_sites, lambda tree, names: tree, suspends=True)


def _loaded_form(function: FunctionType, operators: Any, sees_sites: bool,
                 form: Callable[[Tree, Collection[str]], Any], suspends: bool = False
                 ) -> Loaded | None:
    """Returns the converted code of a second form of a function, or None if it has none;
    `sees_sites`: it is site-instrumented."""
    source = find(function)
    names = inventory_of(source.tree).names
    tree = form(copied(source.tree), names)
    if tree is None:
        return None
    ag = name_for_operators(names, _is_operators(function, operators))
    answers = Answers()
    resolve = resolver(live_lookup(function, source.file), answers)
    context = replace(context_of(source, ag, resolve, sees_sites, True), suspends=suspends,
                      given=_given(function, names))
    code = function.__code__
    made = load(run_passes(tree, context, keep=False), code, ag, code.co_flags & FUTURE,
                file=source.file)
    return replace(made, answers=answers)


def _given(function: FunctionType, names: Iterable[str]) -> frozenset[str]:
    """Returns the names of the global variables that hold what the system gives the process."""
    scope = function.__globals__
    return frozenset(n for n in names if n in scope and name_of(scope[n]) is not None)


class _Steps:
    """Logs the source, and the text after each pass that changes it."""

    def __init__(self, source: Source) -> None:
        from autograph.printer.original_literals import OriginalLiterals
        from autograph.printer.statements import to_text  # few programs print code

        self.show = partial(to_text, literals=OriginalLiterals(source.tree, source.file.lines))
        self.text = self.show(source.tree)
        verbosity.log(verbosity.PASSES, "the source is\n%s", self.text)

    def __call__(self, name: str, tree: Any) -> None:
        if (text := self.show(tree)) != self.text:
            self.text = text
            verbosity.log(verbosity.PASSES, "after the pass %s\n%s", name, text)


def text_of(rewritten: Rewritten) -> str:
    """Returns the rewritten function as text, with the user's comments, without its decorators."""
    from autograph.printer.comments import comments_of
    from autograph.printer.original_literals import OriginalLiterals
    from autograph.printer.statements import to_text

    tree = rewritten.tree
    if isinstance(tree, gast.FunctionDef):
        tree.decorator_list = []
    source, lines = rewritten.source.tree, rewritten.source.file.lines
    return to_text(tree, comments_of(source, lines), literals=OriginalLiterals(source, lines))


def run_passes(tree: Tree, context: Context, stop_after: str | None = None,
               observe: Observe | None = None, without: Container[str] = (),
               inventory: Inventory | None = None, keep: bool = True) -> Tree:
    """Calls `pipeline.run` with a deep stack; refuses a function that is nested too deeply."""
    try:
        with deep_recursion():
            return pipeline.run(tree, context, stop_after=stop_after, observe=observe,
                                without=without, inventory=inventory, keep=keep)
    except RecursionError:
        raise UnsupportedSyntaxError(
            "the function is nested too deeply to be converted", Span.of(tree, context.filename),
            TOO_DEEP) from None


def context_of(source: Source, ag: str, resolve: Resolve,
               site_instrumented: bool = False, names_stores: bool = False) -> Context:
    """Returns what the passes know about a function besides its tree."""
    return Context(source.filename, ag, resolve, source.class_name, source.free_names,
                   tuple(source.file.lines), site_instrumented, names_stores)


def without_callees(resolve: Resolve) -> Resolve:
    """Returns `resolve` with the callees left unconverted (`recursive=False`)."""

    def resolve_here(callee: gast.expr, local_names: frozenset[str]) -> CallRule:
        rule = resolve(callee, local_names)
        keeps = rule.action not in ("operator", "directive")
        return CallRule("keep") if keeps else rule

    return resolve_here


def name_for_operators(names: Container[str], is_operators: Callable[[str], bool],
                       aliases: Sequence[str] = ()) -> str:
    """Returns the name for the operators: `ag`, or one like it if the function uses `ag` otherwise.

    `names` are those that the function mentions, `aliases` those under which the file imports
    autograph: the first that still means autograph in the function is taken.
    """
    for alias in aliases:
        if is_operators(alias):
            return alias
    return "ag" if "ag" not in names or is_operators("ag") else fresh("ag", names)


def _is_operators(function: FunctionType, operators: Any) -> Callable[[str], bool]:
    """Returns a test for names that mean the operators' module in the function."""
    code = function.__code__

    def is_operators(name: str) -> bool:
        if name in code.co_varnames or name in code.co_cellvars or _bound_inside(code, name):
            return False
        if name in code.co_freevars:
            cell = (function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return cell.cell_contents is operators
            except ValueError:
                return False
        return function.__globals__.get(name) is operators

    return is_operators


def _bound_inside(code: CodeType, name: str) -> bool:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return any(name in (*c.co_varnames, *c.co_cellvars) or _bound_inside(c, name) for c in inner)
