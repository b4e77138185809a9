"""Facts about functions as they were written: whether they only compute, and what they name.

A function that only computes has effects only on the containers and objects that it reaches from
its arguments, its free variables and the names that it reads. It keeps no iterator, either: what
makes one (a generator expression, `zip`, a generator function) is used up where it is made.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter, OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from dis import Instruction, get_instructions
from functools import reduce
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import BuiltinMethodType, CodeType, FunctionType
from typing import Any

from autograph.conversion.conversion_rules import is_generated
from autograph.decorated import note, noted
from autograph.libraries import is_library
from autograph.syntax.errors import AutographError
from autograph.syntax.source import find
from autograph.syntax.source_file import all_codes
from autograph.weak_id_dict import IdentityDict

AS_WRITTEN = "__ag_as_written__"
"""The attribute of a decorated function with a weak reference to it and what it stands for."""

STANDS_FOR = "__ag_stands_for__"
"""That of a function of ours with a weak reference to it and the callable that it is called for."""

REFUSED = frozenset({
    "AsyncFor", "AsyncFunctionDef", "AsyncWith", "Await", "ClassDef", "Import", "ImportFrom",
    "TypeAlias"})
"""Kinds of nodes that code which only computes does not have."""

OPERATIONS = frozenset({
    "DELETE_DEREF", "DELETE_GLOBAL", "DELETE_NAME", "IMPORT_NAME", "LOAD_BUILD_CLASS",
    "STORE_GLOBAL", "STORE_NAME"})
"""Instructions that such code does not have."""

USING_UP = frozenset({
    "all", "any", "dict", "enumerate", "filter", "frozenset", "list", "map", "max", "min", "set",
    "sorted", "sum", "tuple", "zip", "Counter", "OrderedDict", "accumulate", "batched", "chain",
    "combinations", "compress", "deque", "islice", "pairwise", "permutations", "product", "reduce",
    "starmap", "takewhile", "dropwhile", "zip_longest"})
"""Names of functions that use up an iterator that they are given, or that their result does."""

METHODS_USING_UP = frozenset({"extend", "extendleft", "fromkeys", "join", "update"})
"""Names of methods of Python's containers and texts that use up an iterator."""

READING = frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"})
SETTING = frozenset({"STORE_ATTR", "DELETE_ATTR"})
"""Instructions that read attributes, and that set them."""

SPECIAL = frozenset({"__class__", "__doc__", "__init__", "__name__", "__qualname__"})
"""The special attributes that such code may read."""


@dataclass(frozen=True)
class Facts:
    """The names that a function uses, those in it included.

    names       the global names that it reads.
    kept        those whose value, or what a call of it makes, may be kept; ".name" stands for the
                methods of that name.
    used_up     pairs: the name of a function, and what it is given to use up: the name of what
                makes an iterator, or an empty text for a generator expression.
    by_methods  the same, of methods.
    rebound     the variables from outside, not global ones, that it binds.
    attributes  the attributes that it reads.
    stored      those that it sets or deletes.
    stores      True if it may change an item of a container by itself.
    identity    True if it asks whether two values are one object.
    """

    names: tuple[str, ...]
    attributes: frozenset[str]
    stored: frozenset[str]
    stores: bool
    identity: bool
    kept: frozenset[str] = frozenset()
    used_up: frozenset[tuple[str, str]] = frozenset()
    by_methods: frozenset[tuple[str, str]] = frozenset()
    rebound: frozenset[str] = frozenset()


@dataclass
class Uses:
    """How code uses names and iterators; see `Facts`. `refused`: it does more than compute."""

    kept: set[str] = field(default_factory=set)
    used_up: set[tuple[str, str]] = field(default_factory=set)
    by_methods: set[tuple[str, str]] = field(default_factory=set)
    refused: bool = False


_facts: IdentityDict[Facts | None] = IdentityDict()
"""The code of a function -> the facts about it; None if it does more than compute."""

_nodes: IdentityDict[list[Any]] = IdentityDict()
"""The code of a block that was compiled alone -> its statements or expressions."""


def stands_for(made: Any, f: Any) -> None:
    """Records which callable converted code calls a function of ours for; of several, none."""
    note(made, STANDS_FOR, f if noted(made, STANDS_FOR, f) is f else made)


def original(x: Any) -> Any:
    """Returns the callable that a function of ours is called for; anything else as it is."""
    return _noted(x, STANDS_FOR)


def _noted(f: Any, attribute: str) -> Any:
    """Returns what an attribute of a function tells of it; anything else as it is."""
    return noted(f, attribute, f) if type(f) is FunctionType else f


def note_tree(code: CodeType, nodes: list[Any]) -> None:
    """Records of which nodes a block was compiled."""
    _nodes.put(code, nodes)


def facts_of(function: FunctionType) -> Facts | None:
    """Returns the facts about a function; None if it does more than compute.

    >>> facts_of(lambda x: sum(x) + len(x)).names
    ('sum', 'len')
    """
    code = function.__code__
    if code not in _facts:
        _facts.put(code, _facts_of(function))
    return _facts.get(code)


def _facts_of(function: FunctionType) -> Facts | None:
    code = function.__code__
    codes = list(all_codes(code))
    instructions = [i for c in codes for i in get_instructions(c)]
    if code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR) or any(
            i.opname in OPERATIONS for i in instructions):
        return None
    rebound = frozenset(i.argval for i in instructions if i.opname == "STORE_DEREF").intersection(
        code.co_freevars)
    read = frozenset(i.argval for i in instructions if i.opname in READING)
    stored = frozenset(i.argval for i in instructions if i.opname in SETTING)
    if any(name.startswith("__") and name not in SPECIAL for name in read) or any(
            name.startswith("__") for name in stored):
        return None
    facts = Facts(names_read(code), read, stored, any(map(_stores, instructions)), any(
        i.opname == "IS_OP" and before.opname != "LOAD_CONST"
        for before, i in itertools.pairwise(instructions)), rebound=rebound)
    makers = [c for c in codes if c.co_flags & CO_GENERATOR]
    if not (facts.names or facts.attributes or makers):
        return facts
    uses = _uses(function)
    if uses is None and not facts.names and not makers:
        return replace(facts, kept=frozenset(f".{name}" for name in facts.attributes))
    if uses is None or uses.refused or any(
            c.co_name != "<genexpr>" for c in makers if c is not code):
        return None
    own = {n for c in codes for n in (*c.co_varnames, *c.co_cellvars, *c.co_freevars)}
    if any(name in own for name, _ in uses.used_up):
        return None
    return replace(facts, kept=frozenset(uses.kept), used_up=frozenset(uses.used_up),
                   by_methods=frozenset(uses.by_methods))


def _stores(i: Instruction) -> bool:
    return i.opname in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE") or (
        i.opname == "BINARY_OP" and i.argrepr.endswith("="))


def names_read(code: CodeType) -> tuple[str, ...]:
    """Returns the global names that a function, and those in it, read."""
    return tuple(dict.fromkeys(i.argval for c in all_codes(code) for i in get_instructions(c)
                               if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")))


def _uses(function: FunctionType) -> Uses | None:
    """Returns how a function's source uses names; None if there is no source."""
    nodes = _nodes.get(function.__code__)
    if nodes is None:
        try:
            body = find(function).tree.body
        except AutographError:
            return None
        nodes = body if isinstance(body, list) else [body]
    return uses_in(nodes)


def uses_in(nodes: list[Any]) -> Uses:
    """Returns how nodes, of `ast` or `gast`, use names and iterators."""
    uses = Uses()
    pending: list[tuple[Any, Any]] = [(n, None) for n in nodes]
    while pending:
        node, above = pending.pop()
        kind = type(node).__name__
        if kind in REFUSED or (kind == "Name" and node.id.startswith("__")):
            uses.refused = True
        elif kind in ("GeneratorExp", "Call"):
            _note_made(node, above, uses)
        elif kind in ("Name", "Attribute") and not (
                type(above).__name__ in ("Call", "Attribute") and (
                    above.__dict__.get("func", above.__dict__.get("value")) is node)):
            uses.kept |= _names_of(node)
        pending += [(child, node) for child in ast.iter_child_nodes(node)]
    return uses


def _note_made(node: Any, above: Any, uses: Uses) -> None:
    """Notes what uses up the result of a call, or a generator expression."""
    made = {""} if type(node).__name__ == "GeneratorExp" else _names_of(node.func)
    kind = type(above).__name__
    function = above.func if kind == "Call" else None
    if kind in ("For", "comprehension"):
        used = above.iter is node
    elif kind == "Assign":
        used = type(above.targets[0]).__name__ in ("Tuple", "List")
    elif function is not None and node in above.args and type(function).__name__ == "Name" and (
            function.id in USING_UP):
        uses.used_up |= {(function.id, name) for name in made}
        return
    elif function is not None and node in above.args and (
            getattr(function, "attr", "") in USING_UP | METHODS_USING_UP):
        uses.by_methods |= {(function.attr, name) for name in made}
        return
    else:
        used = kind in ("Starred", "Compare", "YieldFrom")
    if not used:
        uses.kept |= made
        uses.refused |= "" in made


def _names_of(node: Any) -> set[str]:
    """Returns the names of what may make an iterator: that at the root, and that of a method."""
    names = {_root(node), f".{node.attr}" if type(node).__name__ == "Attribute" else ""}
    return names - {""}


def _root(node: Any) -> str:
    """Returns the name at the root of `name.attribute`; an empty text if there is none."""
    while type(node).__name__ == "Attribute":
        node = node.value
    return node.id if type(node).__name__ == "Name" else ""


def undecorated(f: Any) -> Any:
    """Returns the function that a decorated one stands for, if a call of either does the same;
    anything else as it is.

    >>> import autograph as ag
    >>> undecorated(ag.function(undecorated)) is undecorated
    True
    """
    return _noted(f, AS_WRITTEN)


def without_decorators(function: FunctionType, made: dict[int, FunctionType] | None = None
                       ) -> FunctionType:
    """Returns a function that only computes as one that calls, by name, no decorated function, but
    those that they stand for.

    made: the functions made so far, by the ids of the user's.
    """
    made = {} if made is None else made
    if id(function) not in made:
        scope: dict[str, Any] = {}
        made[id(function)] = f = FunctionType(function.__code__, scope, function.__name__,
                                              function.__defaults__, function.__closure__)
        f.__kwdefaults__ = function.__kwdefaults__
        found = {name: undecorated(function.__globals__[name])
                 for name in names_read(function.__code__) if name in function.__globals__}
        scope |= {name: without_decorators(x, made) if type(x) is FunctionType else x
                  for name, x in found.items()}
    return made[id(function)]


def is_recursive_lambda(f: FunctionType) -> bool:
    """Returns True for a lambda that calls itself: it gets deeper without a frame of ours."""
    with suppress(ValueError):  # a variable is not bound yet
        return f.__name__ == "<lambda>" and any(c.cell_contents is f for c in f.__closure__ or ())
    return False


def may_run_code(f: Any, found: Any) -> bool:
    """Returns True for a callable that runs Python code as it is, and another form of it in a
    trace: a function or class of the user's, or what uses up an iterator."""
    if type(f) is BuiltinMethodType:
        return f.__name__ in METHODS_USING_UP or f is reduce
    if isinstance(f, type):
        return f in FILLED or not is_library(f.__module__)
    own = type(f) is FunctionType and is_generated(f.__code__)
    return found is not f or (own and not is_recursive_lambda(f))


FILLED = frozenset({Counter, OrderedDict, deque})
"""Classes of Python's whose objects are made of what an iterator gives."""
