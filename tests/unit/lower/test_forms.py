"""Forms of ops: what they call by name is an object, so that no variable can stand in its place."""

import re

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.expressions import Name, Operator, text_of
from autograph.runtime.lower.forms import filled, holes
from autograph.runtime.ops.op import OPS

FORMS = sorted({op.emit for op in OPS.values() if "{" in op.emit})
WORDS = {"and", "or", "not", "in", "is", "if", "else", "None", "True", "False"}


@pytest.mark.parametrize("form", FORMS)
def test_operators_have_no_names(form):
    made = filled(form, tuple(Name(f"x{k}") for k in range(len(holes(form)))))
    if isinstance(made, Operator):
        assert set(re.findall(r"[A-Za-z_]+", made.form)) <= WORDS


@pytest.mark.parametrize("form", FORMS)
def test_text_is_the_form(form):
    names = [f"x{k}" for k in range(len(holes(form)))]
    assert text_of(filled(form, tuple(map(Name, names)))) == form.format(*names)


def length_of_selected(np, m):
    return np[m].shape


def absolute_of_abs(abs, getattr):
    return -np.abs(abs) + getattr


def lengths(float, int, len):
    return float[int > 0].shape, int[len].shape[0]


X, MASK = np.array([-1.5, 2.0, 3.0]), np.array([True, False, True])


@pytest.mark.parametrize(("function", "arguments"), [
    (length_of_selected, (X, MASK)),
    (absolute_of_abs, (X, X[::-1])),
    (lengths, (X, X, MASK)),
])
def test_parameters_named_like_what_a_form_calls(function, arguments):
    traced = ag.function(function)
    for _ in range(3):  # the later calls run in the entry point, with the parameters' names
        np.testing.assert_equal(traced(*arguments), function(*arguments))


@pytest.mark.parametrize(("join", "shapes", "shorter"), [
    (np.vstack, [(3, 4), (2, 4)], True), (np.vstack, [(4,), (2, 4)], False),
    (np.vstack, [(4,), (4,)], False), (np.vstack, [(3, 2, 4), (1, 2, 4)], True),
    (np.hstack, [(3, 4), (3, 1)], True), (np.hstack, [(3,), (4,)], False),
    (np.dstack, [(3, 4, 1), (3, 4, 2)], True), (np.dstack, [(3, 4), (3, 4)], False),
    (np.column_stack, [(3, 4), (3, 1)], True), (np.column_stack, [(3,), (3, 2)], False)])
def test_arrays_that_have_the_axis_are_concatenated(join, shapes, shorter):
    f = ag.function(lambda *xs: join(xs), jit_compile=False)
    xs = [np.arange(float(np.prod(s))).reshape(s) for s in shapes]
    for given in (xs, [x.astype(np.float32) for x in xs], [np.asfortranarray(x) for x in xs]):
        found, expected = f(*given), join(given)
        assert found.tobytes() == expected.tobytes() and found.strides == expected.strides
    assert ("np.concatenate" in str(f.graph(*xs, stage="program"))) is shorter
