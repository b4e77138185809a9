"""Mistakes that users make: each error says where, why, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag

X = np.arange(3.0)
SPEC = ag.TensorSpec((None,), np.float64)


def with_signature(signature: Any) -> Any:
    return ag.function(lambda x: x, input_signature=signature)


@ag.function
def body_without_result(x):
    return ag.while_loop(lambda x: x.sum() < 9, lambda x: None, (x,))


@ag.function
def body_with_two_results(x):
    return ag.while_loop(lambda x: x.sum() < 9, lambda x: (x + 1, 2), (x,))


@ag.function
def float_of_a_symbol(x):
    return float(x.sum())


@ag.do_not_convert
def chosen(v):
    return 1 if v > 0 else -1


@ag.function
def truth_in_a_helper(x):
    return chosen(x.sum())


@ag.function
def wrong_attribute(x):
    y = x + 1
    return y.summ()


@ag.function
def wrong_index(x):
    return x[5]


@ag.function
def wrong_shapes(x):
    return x + x[:2]


def numbers(n):
    yield n


class Model:
    @ag.function
    def step(self, x):
        return x


def switch(name: str) -> Callable[[], None]:
    return lambda: setattr(ag.config, name, True)


MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], tuple[str, ...]]] = {
    "a number": (lambda: ag.function(3), ag.ConversionError,
                 ("3 cannot be converted", "hint: give a function")),
    "a generator": (lambda: ag.function(numbers)(X), ag.ConversionError,
                    (__file__, "AG104", "^^^", "hint: move the code")),
    "code of a builtin": (lambda: ag.to_code(len), ag.ConversionError,
                          ("len cannot be converted", "hint: it needs no conversion")),
    "an option": (lambda: ag.function(strickt=True), TypeError,  # type: ignore[call-overload]
                  ("'strickt'", "did you mean strict?")),
    "a name": (lambda: ag.jit, AttributeError,  # type: ignore[attr-defined]
               ("'jit'", "ag.function")),
    "a switch": (switch("stric"), AttributeError, ("'stric'", "there is strict")),
    "a bare spec": (lambda: with_signature(SPEC), TypeError,
                    ("a sequence of TensorSpec", "hint: write [ag.TensorSpec(")),
    "a dtype for a spec": (lambda: with_signature([np.float64]), TypeError,
                           ("in item 0", "hint: write ag.TensorSpec(")),
    "None for a spec": (lambda: with_signature([SPEC, None]), TypeError,
                        ("got None in item 1", "hint: write ag.TensorSpec(")),
    "None for an array": (lambda: with_signature([SPEC])(None), ag.SignatureError,
                          ("x does not fit", "got None", "hint: give an array")),
    "a wrong dtype": (lambda: with_signature([SPEC])(np.arange(2)), ag.SignatureError,
                      ("dtype=int64", "hint: convert it, e.g. with x.astype('float64')")),
    "a wrong rank": (lambda: with_signature([SPEC])(np.ones((2, 2))), ag.SignatureError,
                     ("shape=(2, 2)", "hint: use a TensorSpec whose shape fits")),
    "a body without a result": (lambda: body_without_result(X), TypeError, (
        "gives None for 1 loop variable\n", __file__, "in body_without_result", "^^^", "hint:")),
    "a body with two results": (lambda: body_with_two_results(X), TypeError, (
        "gives 2 values for 1 loop variable\n", __file__, "^^^", "hint: return a tuple")),
    "a bool in a helper": (lambda: truth_in_a_helper(X), TypeError,
                           ("a Python bool of a symbolic value", __file__, "hint:")),
    "an attribute": (lambda: wrong_attribute(X), AttributeError, ("'summ'",)),
    "an index": (lambda: wrong_index(X), IndexError, ("index 5", "return x[5]", "^^^^")),
    "shapes": (lambda: wrong_shapes(X), ValueError, ("(3,) (2,)", "return x + x[:2]", "^^^")),
    "an instance": (lambda: Model.step.explain(X), TypeError,
                    ("Model.step()", "missing a required argument: 'x'", "hint: it is a method")),
    "a stage": (lambda: wrong_index.graph(X, stage="best"), ValueError,
                ("one of traced, optimized", "'best'")),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_explained(name: str) -> None:
    make, kind, said = MISTAKES[name]
    with pytest.raises(kind) as caught:
        make()
    text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    for part in said:
        assert part in text, text
    assert "object at 0x" not in text
