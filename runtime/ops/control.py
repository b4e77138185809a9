"""Control-flow ops: an equation of these holds regions, and an executor runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.runtime.ops.op import Op, define


def _control(name: str, roles: tuple[str, ...], doc: str, **traits: Any) -> Op:
    return define(Op(name, _not_a_function(name), _not_a_rule(name), "", (), onnx=None,
                     doc=doc, regions=roles, **traits))


def _not_a_function(name: str) -> Callable[..., Any]:
    def kernel(*args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{name!r} is control flow: an executor runs its regions")

    return kernel


def _not_a_rule(name: str) -> Callable[..., Any]:
    def infer(*args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"the types of {name!r} follow from its regions: give them to the equation")

    return infer


COND = _control("cond", ("true", "false"), "args: the predicate; both regions take nothing")
WHILE = _control("while", ("test", "body"), "args: the carried values; both regions take those")
FOR = _control(
    "for", ("body", "test"),
    "args: an iterable, then the carried values; the body takes (item, carried …); the test, "
    "if there is one, takes the carried values and is asked before each next item",
    takes_items=True)
CALL = _control("call", ("callee",), "args: the inputs of the region, which is a graph of its own")
