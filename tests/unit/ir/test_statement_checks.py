"""The check of statements finds what is not well formed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import GraphError
from autograph.runtime.ir.expressions import Call, Global, Literal, Name, Subscript
from autograph.runtime.ir.frame_state import Local
from autograph.runtime.ir.statement_checks import check_statements
from autograph.runtime.ir.statements import (
    Block,
    Break,
    Delete,
    Do,
    For,
    Function,
    Guarded,
    If,
    Let,
    Lowered,
    Return,
    Store,
    Update,
    While,
)

X, V, W = Name("x"), Name("v"), Name("w")
ERROR = (Global("ValueError", ValueError),)


def let(target: Name) -> Let:
    return Let((target,), Literal(1))


def lowered(body: Block) -> Lowered:
    return Lowered(Function("f", (X,), body), [], {"np": np, "c": 3}, {}, {}, frozenset())


FIRST = Subscript(X, Literal(0))


@pytest.mark.parametrize(("body", "reason"), [
    ([Return((V,))], "v has no value here"),
    ([If(X, [let(V)]), Return((V,))], "v has no value here"),
    ([For((W,), X, [let(V)]), Return((V,))], "v has no value here"),
    ([While(None, [If(X, [Break()]), let(V), Break()]), Return((V,))], "v has no value here"),
    ([let(V), Delete((V,)), Return((V,))], "v has no value here"),
    ([let(X)], "rebinds"),
    ([Break()], "is in no loop"),
    ([Return(()), let(V)], "nothing leads here"),
    ([Do(Call(Global("g", 1)))], "g is not known"),
    ([Do(Global("c", 4))], "c is not known"),
    ([Do(X, frame=((X, Local("v")),))], "the pending write of v has no value"),
    ([let(V), Guarded(ERROR, "", [let(V), Do(X)], [Do(V)])], "the stretch binds"),
    ([Guarded(ERROR, "", [Store(FIRST, X), Do(X)], [let(V)])], "writes the memory of x"),
    ([Guarded(ERROR, "", [Update(X, "+", X), let(V)], [let(V)])], "writes the memory of x"),
])
def test_refused(body: Block, reason: str) -> None:
    with pytest.raises(GraphError, match=reason):
        check_statements(lowered(body))


@pytest.mark.parametrize("body", [
    [If(X, [let(V)], [let(V)]), Return((V,))],
    [If(X, [Return(())], [let(V)]), Return((V,))],
    [While(None, [let(V), If(X, [Break()])]), Return((V,))],
    [Guarded(ERROR, "", [let(V), Store(FIRST, V)], [let(V)]), Return((V,))],
    [Do(Call(Global("np.exp", np.exp), (Global("c", 3),)))],
])
def test_allowed(body: Block) -> None:
    check_statements(lowered(body))


def test_stage_of_a_function() -> None:
    def f(x: Any) -> Any:
        x[0] = 1.0
        return np.exp(x) * 2

    made = ag.function(f)
    text = made.graph(np.ones(3), stage="program")
    assert text == ("f(x: f64[3]):\n  store x[0] = 1.0\n  v: f64[3] = np.exp(x)\n"
                    "  return v * c2\n")
    assert made.experimental_get_compiler_ir(np.ones(3))(stage="program") == text
