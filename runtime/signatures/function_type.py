"""Function types: the types of a trace's arguments and result, as a signature to read and bind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from autograph.runtime.ir.frame_state import Captured, Given
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.pytree import children, flatten, map_nest
from autograph.runtime.ir.types import ArrayType, PyType, type_of
from autograph.runtime.signatures.binding import Bound, Leaf, bind
from autograph.runtime.signatures.cache_keys import ForeignArray, Identity, Stateful, covers
from autograph.runtime.signatures.filler import LeafRef
from autograph.runtime.signatures.spec import TensorSpec, spec_text
from autograph.runtime.symbolic.captures import CONSTANT

Parameters = list[inspect.Parameter]


class Text:
    """An annotation that prints without quotes."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class FunctionType(inspect.Signature):
    """A signature with the types of the arguments, of the result and of the captures.

    `f.function_type` is that of a decorated function; a trace's has the types of the trace.

    >>> import numpy as np
    >>> import autograph as ag
    >>> @ag.function
    ... def half(x):
    ...     return x / 2
    >>> half.get_concrete_function(np.ones(3)).function_type
    <FunctionType (x: TensorSpec(shape=(3,), dtype=float64, name=None)) -> TensorSpec(shape=(3,),
    dtype=float64, name=None)>
    """

    __slots__ = ("_bound", "_result", "captures", "output")

    captures: dict[str, Any]
    output: Any
    _bound: Bound
    _result: Any

    @classmethod
    def polymorphic(cls, parameters: Parameters) -> FunctionType:
        """Returns a function's parameters, with the default values hidden."""
        defaults = [p.default if p.default is p.empty else Text("<captured_default_value>")
                    for p in parameters]
        return cls([p.replace(annotation=p.empty, default=default)
                    for p, default in zip(parameters, defaults, strict=True)])

    @classmethod
    def of_trace(cls, parameters: Parameters, bound: Bound, program: Program) -> FunctionType:
        """Returns the type of one trace."""
        typed = [p.replace(annotation=Text(type_text(bound.nest[p.name], bound.leaves)),
                           default=p.empty) for p in parameters if p.name in bound.nest]
        output = spec_nest(program.result, bound.leaves)
        made = cls(typed, return_annotation=Text(type_text(program.result, bound.leaves)))
        made.output, made._bound, made._result = output, bound, program.result
        made.captures = {v.hint: c for v, c in program.graph.captures.items()
                         if v.hint != CONSTANT}
        return made

    # -- as in TensorFlow's FunctionType ---------------------------------------------------------

    def bind_with_defaults(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """Returns a call's arguments by name, with defaults for those that were left out."""
        found = self.bind(*args, **kwargs)
        found.apply_defaults()
        return found

    @property
    def flat_inputs(self) -> list[Any]:
        """The types of the arguments' arrays, in order."""
        return [_spec_of(leaf.type, leaf.name) for leaf in self._bound.leaves]

    @property
    def flat_outputs(self) -> list[Any]:
        """The types of the result's arrays, in order."""
        return [_spec_of(x.type, None) for x in flatten(self._result) if isinstance(x, Value)]

    @property
    def flat_captures(self) -> list[Any]:
        """The types of the captures."""
        return [_spec_of(type_of(c), name) for name, c in self.captures.items()]

    def is_supertype_of(self, other: FunctionType) -> bool:
        """Returns True if a trace of this type serves every call that one of `other` serves."""
        return covers(self._bound.key, other._bound.key)

    def most_specific_common_subtype(self, others: Iterable[FunctionType]) -> FunctionType | None:
        """Returns the type, of this and the others, that all of them are supertypes of."""
        kinds = [self, *others]
        return next((k for k in kinds if all(o.is_supertype_of(k) for o in kinds)), None)

    def placeholder_arguments(self, context: Any = None) -> inspect.BoundArguments:
        """Returns a call's arguments, with a `TensorSpec` for every array."""
        return inspect.BoundArguments(self, spec_nest(self._bound.nest, self._bound.leaves))

    def unpack_inputs(self, arguments: inspect.BoundArguments) -> list[Any]:
        """Returns the arrays in a call's arguments, in the order of `flat_inputs`."""
        return [leaf.value for leaf in bind(dict(arguments.arguments), self._bound.key).leaves]

    def pack_output(self, arrays: Iterable[Any]) -> Any:
        """Returns the function's result, built from its arrays."""
        remaining = iter(arrays)
        return map_nest(lambda x: next(remaining) if isinstance(x, Value) else x, self._result)


def spec_nest(nest: Any, leaves: list[Leaf]) -> Any:
    """Returns a nest of arguments or results with the type of every symbolic leaf in its place."""
    return map_nest(lambda x: _spec(x, leaves), nest)


def _spec(x: Any, leaves: list[Leaf]) -> Any:
    if isinstance(x, LeafRef):
        leaf = leaves[x.index]
        return _spec_of(leaf.type, leaf.name)
    if isinstance(x, Value):
        return _spec_of(x.type, None)
    return Text("<argument>") if isinstance(x, Given) else (
        x.value if isinstance(x, Captured) else x)


def _spec_of(t: Any, name: str | None) -> Any:
    if isinstance(t, Stateful):
        t = t.type
    if isinstance(t, ArrayType) and t.dtype is not None:
        return TensorSpec.of_type(t, name)
    return t


def type_text(nest: Any, leaves: list[Leaf]) -> str:
    """Returns `TensorSpec(…)`, `Literal[2]`, `List[…]`: the text of a type in signatures."""
    if isinstance(nest, LeafRef):
        leaf = leaves[nest.index]
        return _leaf_text(leaf.type, leaf.name)
    if isinstance(nest, Value):
        return _leaf_text(nest.type, None)
    if nest is None:
        return "Literal[None]"
    found = children(nest)
    if found is None:
        return _constant_text(nest)
    parts = [type_text(c, leaves) for c in found[1]]
    if isinstance(nest, dict):
        inside = (f"{k!r}: {part}" for k, part in zip(nest, parts, strict=True))
        return f"{type(nest).__name__.capitalize()}[{{{', '.join(inside)}}}]"
    name = type(nest).__name__
    return f"{name.capitalize() if type(nest) in (list, tuple) else name}[{', '.join(parts)}]"


def short_text(nest: Any, leaves: list[Leaf]) -> str:
    """Returns `f64[3]`, `2`, `{'w': f64[2, 2]}`: types as in graphs, constants as in Python."""
    def leaf(x: Any) -> Any:
        if isinstance(x, Identity):
            return Text(_constant_text(x))
        if not isinstance(x, LeafRef):
            return x
        t = leaves[x.index].type
        return Text(f"variable {t.type}" if isinstance(t, Stateful) else str(t))

    return _shown(map_nest(leaf, nest))


def _shown(x: Any) -> str:
    """Returns the repr, or a text that says that it raises (a user's class may do that)."""
    try:
        return repr(x)
    except Exception as error:
        return f"<{type(x).__name__}, whose repr raises {type(error).__name__}>"


def _leaf_text(t: Any, name: str | None) -> str:
    if isinstance(t, Stateful):
        return f"Variable[{spec_text(t.type, name)}]"
    if isinstance(t, ArrayType):
        return spec_text(t, name)
    if isinstance(t, PyType):
        return t.cls.__name__
    if isinstance(t, ForeignArray):
        return f"{t.cls.__name__}(shape={t.shape}, dtype={t.dtype})"
    return "Any"


def _constant_text(x: Any) -> str:
    if isinstance(x, Identity):
        return _shown(x)
    if isinstance(x, Captured):
        return f"{type(x.value).__name__} from outside"
    return "the caller's container" if isinstance(x, Given) else f"Literal[{_shown(x)}]"


def block(kind: FunctionType) -> str:
    """Returns a signature on several lines: parameters, result, captures."""
    lines = ["Input Parameters:"]
    lines += [f"  {p.name} ({p.kind.name}): {p.annotation!r}"
              for p in kind.parameters.values()] or ["  None"]
    lines += ["Output Type:", f"  {kind.return_annotation!r}", "Captures:"]
    lines += [f"  {name}: {capture_text(c)}" for name, c in kind.captures.items()] or ["  None"]
    return "\n".join(lines) + "\n"


def capture_text(captured: Any) -> str:
    """Returns the text of the type of a captured array or variable."""
    if isinstance(getattr(captured, "type", None), ArrayType):
        return f"Variable[{spec_text(captured.type)}]"
    return spec_text(ArrayType(captured.dtype, captured.shape))


def structured(parameters: Parameters, nest: dict[str, Any], leaf: Callable[[Any], Any]
               ) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns (args, kwargs) from a nest by parameter name, with every leaf mapped."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for p in parameters:
        if p.name not in nest:
            continue
        value = map_nest(leaf, nest[p.name])
        if p.kind is p.VAR_POSITIONAL:
            args.extend(value)
        elif p.kind is p.VAR_KEYWORD:
            kwargs.update(value)
        elif p.kind is p.KEYWORD_ONLY:
            kwargs[p.name] = value
        else:
            args.append(value)
    return tuple(args), kwargs


def has_leaf(nest: Any) -> bool:
    """Returns True if an argument has a symbolic part."""
    found = children(nest)
    if found is None:
        return isinstance(nest, LeafRef)
    inside: Iterable[Any] = found[1]
    return any(map(has_leaf, inside))


def call_text(bound: Bound) -> str:
    """Returns a trace's arguments and their types, as graphs print them: `x: f64[3], n: 2`."""
    return ", ".join(f"{name}: {short_text(nest, bound.leaves)}"
                     for name, nest in bound.nest.items())
