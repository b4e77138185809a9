"""The key of a call: its arguments are bound to parameters, and made the key of its trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograph.function.options import Options
from autograph.function.traced_callable import hinted_arrays, own_parameters, parameters_of
from autograph.runtime.functions.persistent_state import PersistentState
from autograph.runtime.ir.types import PY_NUMBERS
from autograph.runtime.signatures.binding import PERSISTENT, Bound, bind
from autograph.runtime.signatures.cache_keys import Key, Node
from autograph.runtime.signatures.captured_values import Captured
from autograph.runtime.signatures.spec import fit, specs_by_name


@dataclass(frozen=True)
class Call:
    """A call, bound to a signature.

    arguments  the arguments by parameter name, the persistent state among them.
    bound      the arguments as a key, leaves and guards.
    outside    the key of what the function takes from outside.
    base       the key of the arguments alone, and `outside`.
    state      the persistent state that is an input, if there is any.
    """

    arguments: dict[str, Any]
    bound: Bound
    outside: Key
    base: Key
    state: PersistentState | None = None

    @property
    def key(self) -> Key:
        return self.bound.key, self.outside

    @property
    def given(self) -> dict[str, Any]:
        """The arguments that the caller gave."""
        return {name: x for name, x in self.arguments.items() if name != PERSISTENT}

    def with_state(self, state: PersistentState | None) -> Call:
        """Returns the call with the persistent state as an input, too."""
        if state is None:
            return self
        values = state.load()
        arguments = {**self.arguments, PERSISTENT: values}
        pattern = Node(None, (*self.base[0].parts, (PERSISTENT, state.pattern(values))))
        return replace(self, arguments=arguments, state=state,
                       bound=bind(arguments, pattern, state.load))

    def bound_like(self, pattern: Key) -> Bound:
        """Returns the arguments, bound as a trace with this key wants them."""
        return bind(self.arguments, pattern, None if self.state is None else self.state.load)


class CallBinder:
    """Binds the calls of one function.

    parameters    the function's parameters.
    specs         the input signature by parameter name, if there is one.
    captured      what the function takes from outside.
    by_reference  the names of the containers among the arguments that are inputs by reference.
    """

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        self.parameters = parameters_of(function)
        signature = options.input_signature
        self.specs = None if signature is None else specs_by_name(
            signature, own_parameters(function, self.parameters, signature))
        self.pattern = None if self.specs is None else bind(self.specs).key
        self.hinted = hinted_arrays(function) if options.follow_type_hints else frozenset()
        self.captured = Captured(function, options.captures_of(function))
        self.by_reference: frozenset[str] = frozenset()

    @property
    def takes_any(self) -> bool:
        """True if the function gets its arguments as the caller gives them."""
        return self.specs is None and not self.hinted

    def bind(self, arguments: dict[str, Any]) -> Call:
        """Returns a call with these arguments by parameter name, without persistent state."""
        arguments = self.fitted(arguments)
        outside = self.captured.key(arguments)
        bound = bind(arguments, self.pattern, by_reference=self.by_reference)
        return Call(arguments, bound, outside, (bound.key, outside))

    def fitted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments as the input signature, or the type hints, want them."""
        if self.specs is not None:
            return fit(arguments, self.specs)
        return arguments if not self.hinted else {
            name: np.asarray(x)[()] if name in self.hinted and type(x) in PY_NUMBERS else x
            for name, x in arguments.items()}

    def invoke(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Calls a function with arguments given by parameter name."""
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for p in self.parameters:
            value = arguments[p.name]
            if p.kind is p.VAR_POSITIONAL:
                positional.extend(value)
            elif p.kind is p.VAR_KEYWORD:
                keywords.update(value)
            elif p.kind is p.KEYWORD_ONLY:
                keywords[p.name] = value
            else:
                positional.append(value)
        return function(*positional, **keywords)
