"""Direct calls of a concrete function: its arguments, given like the function's or as arrays."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.ir.errors import SignatureError
from autograph.runtime.ir.graph import Value
from autograph.runtime.signatures.binding import PERSISTENT, Bound, Leaf, bind
from autograph.runtime.signatures.cache_keys import Key, Node, Same, array_key, covers
from autograph.runtime.signatures.function_type import (
    FunctionType,
    Parameters,
    has_leaf,
    spec_nest,
    type_text,
)
from autograph.runtime.signatures.spec import TensorSpec, fit

Args = tuple[Any, ...]
Kwargs = dict[str, Any]


def bind_direct(name: str, parameters: Parameters, bound: Bound, state: PersistentState | None,
                function_type: FunctionType, args: Args, kwargs: Kwargs) -> Bound:
    """Binds a call like the function's own; arguments that are constants may be left out.

    Raises:
      SignatureError: the arguments do not fit the parameters, or the signature.
    """
    nest = bound.nest
    try:
        given = FunctionType(parameters).bind_partial(*args, **kwargs).arguments
    except TypeError as error:
        raise SignatureError(f"{name}(): {error}; its signature is {function_type}") from None
    missing = [key for key in nest if key not in given and key != PERSISTENT
               and has_leaf(nest[key])]
    if missing:
        raise SignatureError(f"{name}() is missing {', '.join(map(repr, missing))}; its "
                             f"signature is {function_type}")
    specs = spec_nest(nest, bound.leaves)
    fitted = fit(given, {key: specs[key] for key in given})
    if state is not None:
        fitted[PERSISTENT] = state.load()
    made = bind(fitted, bound.key)
    wanted = dict(bound.key.parts)
    for name, key in made.key.parts:
        if not covers(wanted[name], key):
            raise SignatureError(f"{name} is {_argument_text(wanted[name], name, bound)} in this "
                                 f"signature; it was given as {_argument_text(key, name, made)}")
    return made


def _argument_text(key: Key, name: str, bound: Bound) -> str:
    if isinstance(key, Same):
        return f"the same array as {bound.leaves[key.number].path}"
    if isinstance(key, Node) and key.kind == "same container":
        return f"the same container as {bound.containers[key.parts - 1][0]}"
    return type_text(bound.nest[name], bound.leaves)


def bound_as_it_is(parameters: Parameters, bound: Bound, args: Args, kwargs: Kwargs
                   ) -> Bound | None:
    """Binds a call whose arguments are of the signature's types as they are; None if it is for
    others."""
    try:
        given = inspect.Signature(parameters).bind(*args, **kwargs)
    except TypeError:
        return None
    given.apply_defaults()
    made = bind(dict(given.arguments), bound.key)
    fits = covers(bound.key, made.key) and len(made.leaves) == len(bound.leaves)
    arrays = [(x.type, array_key(x.value)) for x in made.leaves
              if isinstance(x.value, (np.ndarray, np.generic))]
    wanted, found = zip(*arrays, strict=True) if arrays else ((), ())
    return made if fits and covers(wanted, found) else None


def leaves_given(leaves: list[Leaf], inputs: tuple[Value, ...], args: Args, kwargs: Kwargs
                 ) -> list[Any] | None:
    """Returns the leaves of a call with only the arrays, by name or in order.

    The result is None if they do not fit.
    """
    names = [leaf.name or leaf.hint for leaf in leaves]
    by_name = {**dict(zip(names, args, strict=False)), **kwargs}
    if len(args) + len(kwargs) != len(names) or sorted(by_name) != sorted(names):
        return None
    found: list[Any] = []
    for leaf, value, name in zip(leaves, inputs, names, strict=True):
        spec, given = spec_nest(value, []), by_name[name]
        if isinstance(spec, TensorSpec):
            try:
                given = fit({name: given}, {name: spec})[name]
            except SignatureError:
                return None
        if not covers(leaf.type, bind({name: given}, None).key.parts[0][1]):
            return None
        found.append(given)
    return found
