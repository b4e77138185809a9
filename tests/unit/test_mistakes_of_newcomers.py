"""Mistakes of those who come from NumPy, TensorFlow, JAX, Numba and notebooks.

Each function makes one. The error is of the class that Python or NumPy would raise, or of one of
ours; it shows the line, says the cause and the way out, and no frame of ours is in its traceback.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.traceback_filter import is_ours

X = np.arange(5.0)
SPEC = ag.TensorSpec([None], np.float64)
MISTAKES: list[tuple[Callable[[], Any], type[Exception], tuple[str, ...]]] = []


def mistake(kind: type[Exception], *said: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enters a function that makes a mistake, the class of the error, and what its text has."""
    def enter(make: Callable[[], Any]) -> Callable[[], Any]:
        MISTAKES.append((make, kind, said))
        return make

    return enter


# -- of NumPy users --------------------------------------------------------------------------------

@mistake(ValueError, "x[1:3] = np.zeros(4)", "^^^^^^", "(4,)", "(2,)", "with x: float64(5,)")
def a_value_of_another_length() -> None:
    @ag.function
    def f(x):
        x[1:3] = np.zeros(4)

    f(X.copy())


@mistake(TypeError, "Cannot cast", "float64", "int64", "x += 0.5", "^^^^^^^^", "int64(3,)")
def a_float_added_to_integers() -> None:
    @ag.function
    def f(x):
        x += 0.5

    f(np.arange(3))


@mistake(ValueError, "matmul", "size 3 is different from 2", "return a @ b")
def matrices_that_do_not_fit() -> None:
    @ag.function
    def f(a, b):
        return a @ b

    f(np.ones((3, 2)), np.ones((3, 2)))


@mistake(TypeError, "integer scalar", "np.concatenate(a, b)", "^^^^")
def arrays_that_are_not_in_a_list() -> None:
    @ag.function
    def f(a, b):
        return np.concatenate(a, b)

    f(X, X)


@mistake(AttributeError, "module 'numpy' has no attribute 'summ'", "np.summ(x)")
def a_name_that_numpy_does_not_have() -> None:
    @ag.function
    def f(x):
        return np.summ(x)

    f(X)


@mistake(ValueError, "truth value of an array", "a.any()", "if x > 2:", "^^^^^")
def an_if_on_an_array() -> None:
    @ag.function
    def f(x):
        if x > 2:
            return x
        return -x

    f(X)


@mistake(ValueError, "truth value of an array", "(x > 1) and (x < 3)", "^^^^^")
def and_between_arrays() -> None:
    @ag.function
    def f(x):
        return x[(x > 1) and (x < 3)]

    f(X)


@mistake(IndexError, "only integers, slices", "x[i / 2]", "^^^^^^^^", "i: np.float64(2.0)")
def a_float_as_an_index() -> None:
    @ag.function
    def f(x, i):
        return x[i / 2]

    f(X, np.float64(2.0))


@mistake(ValueError, "cannot reshape array of size 5", "x.reshape(2, 3)", "^^^^", "float64(5,)")
def a_shape_of_another_size() -> None:
    @ag.function
    def f(x):
        return x.reshape(2, 3)

    f(X)


@mistake(ValueError, "axis 1 is out of bounds", "x.sum(axis=1)")
def an_axis_that_there_is_not() -> None:
    @ag.function
    def f(x):
        return x.sum(axis=1)

    f(X)


@mistake(AttributeError, "'list' object has no attribute 'sum'", "x.sum()")
def a_list_for_an_array() -> None:
    @ag.function
    def f(x):
        return x.sum()

    f([1, 2, 3])


@mistake(TypeError, "f() missing 1 required positional argument: 'y'")
def an_argument_left_out() -> None:
    @ag.function
    def f(x, y):
        return x + y

    f(X)


@mistake(TypeError, "f() got an unexpected keyword argument 'scael'")
def an_argument_with_a_slip() -> None:
    @ag.function
    def f(x, scale=1):
        return x * scale

    f(X, scael=2)


@mistake(UnboundLocalError, "variable 'y'", "return y", "^", "with x: float64(5,)")
def a_variable_of_one_branch() -> None:
    @ag.function
    def f(x):
        if x.sum() > 100:
            y = x
        return y

    f(X)


@mistake(TypeError, "%d format", '"%d" % x', "^^^^^^^^")
def an_array_in_a_format() -> None:
    @ag.function
    def f(x):
        return "%d" % x  # noqa: UP031

    f(X)


@mistake(TypeError, "0-dimensional", "math.sqrt(x)", "^^^^")
def a_function_of_numbers_for_an_array() -> None:
    @ag.function
    def f(x):
        return math.sqrt(x)

    f(X)


@mistake(TypeError, "cannot be interpreted as an integer", "range(x.sum())", "^^^^")
def a_range_of_a_float() -> None:
    @ag.function
    def f(x):
        total = 0
        for i in range(x.sum()):
            total += i
        return total

    f(X)


@mistake(IndexError, "index 5 is out of bounds", "s += x[i]", "^^^^", "i: 5", "in iteration 5 of")
def a_range_that_is_too_long() -> None:
    @ag.function
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    f(X, np.int64(8))


@mistake(KeyError, "'wieght'", 'd["wieght"]')
def a_key_with_a_slip() -> None:
    @ag.function
    def f(d):
        return d["wieght"]

    f({"weight": X})


@mistake(RecursionError, "maximum recursion depth", "return f(x) + 1")
def a_recursion_without_an_end() -> None:
    @ag.function
    def f(x):
        return f(x) + 1

    f(X)


@mistake(RecursionError, "maximum recursion depth", "if n > 0:", "^^^^^")
def a_recursion_that_only_the_run_ends() -> None:
    @ag.function
    def f(n):
        if n > 0:
            return f(n + 1)
        return n

    f(np.int64(3))


# -- of TensorFlow's users -------------------------------------------------------------------------

@mistake(AttributeError, "'constant'", "hint: use a NumPy array: np.array", "ag.constant(3)")
def a_constant() -> None:
    ag.function(lambda x: ag.constant(3) + x)(X)  # type: ignore[attr-defined]


@mistake(ValueError, "singleton", "v = ag.Variable(x)", "^^^^", "hint: make it outside, or keep it")
def a_variable_in_the_function() -> None:
    @ag.function
    def f(x):
        v = ag.Variable(x)
        return v.assign_add(x)

    f(X)


@mistake(TypeError, "has no option 'jit_compil'", "hint: did you mean jit_compile?")
def an_option_with_a_slip() -> None:
    ag.function(jit_compil=True)  # type: ignore[call-overload]


@mistake(TypeError, "'flaot32' is no dtype", "hint: write TensorSpec(shape, dtype)")
def a_dtype_with_a_slip() -> None:
    ag.TensorSpec([None], "flaot32")


@mistake(TypeError, "<class 'numpy.float32'> is no shape", "hint: write TensorSpec(shape, dtype)")
def a_spec_the_other_way_round() -> None:
    ag.TensorSpec(np.float32, [None])  # type: ignore[arg-type]


@mistake(TypeError, "-1 in the shape [-1, 2]", "hint: None stands for any length")
def a_length_below_zero() -> None:
    ag.TensorSpec([-1, 2])


@mistake(TypeError, "1 extra type constraint: the function takes (x)", "hint: write one")
def a_spec_too_many() -> None:
    ag.function(lambda x: x, input_signature=[SPEC, SPEC])


@mistake(TypeError, "missing type constraint for y", "hint: add an ag.TensorSpec for y")
def a_spec_too_few() -> None:
    ag.function(lambda x, y: x + y, input_signature=[SPEC])


@mistake(ag.SignatureError, "expected TensorSpec(shape=(5,)", "shape=(2,)", "hint: use")
def another_shape_for_a_concrete_function() -> None:
    ag.function(lambda x: x + 1).get_concrete_function(X)(np.ones(2))


@mistake(TypeError, "missing a required argument: 'x'", "hint: give arguments as in a call")
def a_concrete_function_of_nothing() -> None:
    ag.function(lambda x: x).get_concrete_function()


@mistake(ValueError, "has no trace yet", "hint: call it, or give arguments: f.graph(x)")
def a_graph_before_the_call() -> None:
    ag.function(lambda x: x).graph()


@mistake(TypeError, "a branch of ag.cond is a function, not int", "hint: write ag.cond(pred")
def values_for_branches() -> None:
    ag.function(lambda x, n: ag.cond(n, 1, 2))(X, 3)  # type: ignore[arg-type]


@mistake(TypeError, "a branch of ag.cond is a function, not int", "hint: write ag.cond(pred")
def values_for_branches_of_a_plain_test() -> None:
    ag.cond(True, 1, 2)  # type: ignore[arg-type]


@mistake(TypeError, "no tuple for 1 loop variable", "lambda i: i + 1", "hint: return a tuple")
def a_body_without_a_tuple() -> None:
    ag.function(lambda x: ag.while_loop(lambda i: i < 3, lambda i: i + 1, [x]))(np.int64(0))


@mistake(TypeError, "are given in a list", "hint: write [x]", "ag.py_function")
def an_argument_that_is_not_in_a_list() -> None:
    ag.function(lambda x: ag.py_function(len, x, np.int64))(X)


@mistake(ValueError, "expected TensorSpec", "dtype=int64", "float32", "hint: convert it", "^^^^")
def another_dtype_from_python() -> None:
    ag.function(lambda x: ag.py_function(lambda v: v.astype("f4"), [x], np.int64))(X)


@mistake(TypeError, "a Python bool of a symbolic value", "if x.sum() > 0:", "^^^^", "in f\n")
def an_if_without_conversion() -> None:
    @ag.function(autograph=False)
    def f(x):
        if x.sum() > 0:
            return x
        return -x

    f(X)


@mistake(TypeError, "where the tape cannot look", "hint: write x = tape.watch(x)")
def a_tape_around_plain_numpy() -> None:
    x = np.float64(3.0)
    with ag.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)


@mistake(ValueError, "must be arrays with a first axis", "hint: they are the second argument",
         "ag.scan")
def the_first_state_for_the_elements() -> None:
    ag.function(lambda x: ag.scan(lambda c, a: c + a, 0.0, x))(X)


# -- of JAX's and Numba's users --------------------------------------------------------------------

@mistake(TypeError, "no option 'static_argnums'", "hint: leave it out: Python numbers, strings")
def static_arguments() -> None:
    ag.function(static_argnums=(1,))  # type: ignore[call-overload]


@mistake(TypeError, "no option 'parallel'", "hint: leave it out")
def parallel_loops() -> None:
    ag.function(parallel=True)  # type: ignore[call-overload]


@mistake(TypeError, "no option 'fastmath'", "hint: did you mean fast_math?")
def fast_mathematics() -> None:
    ag.function(fastmath=True)  # type: ignore[call-overload]


@mistake(AttributeError, "'prange'", "hint: use range", "ag.prange(3)", "^^^^^^^^^")
def a_parallel_range() -> None:
    @ag.function
    def f(x):
        for i in ag.prange(3):  # type: ignore[attr-defined]
            x = x + i
        return x

    f(X)


@mistake(AttributeError, "'lax'", "hint: use if, for and while: they are converted")
def a_loop_of_another_library() -> None:
    ag.lax.fori_loop(0, 3, lambda i, x: x, 0)  # type: ignore[attr-defined]


@mistake(AttributeError, "no attribute 'at'", "x.at[0]")
def an_update_of_another_library() -> None:
    @ag.function
    def f(x):
        return x.at[0].set(3)

    f(X)


@mistake(ag.ConversionError, "'float64(float64)' cannot be converted", "input_signature=")
def a_signature_as_text() -> None:
    ag.function("float64(float64)")


@mistake(TypeError, "needs one number, and it gave an array of float64 of shape (5,)",
         "hint: sum it, or ask for ag.vjp")
def the_gradient_of_an_array() -> None:
    ag.grad(lambda x: x * x)(X)


@mistake(TypeError, "argument 0 is an integer", "hint: write 3.0 instead of 3")
def the_gradient_by_an_integer() -> None:
    ag.grad(lambda x: x * x)(3)


@mistake(TypeError, "it gave None", "hint:")
def the_gradient_of_nothing() -> None:
    def f(x):
        x.sum()

    ag.grad(f)(X)


# -- of notebooks' users ---------------------------------------------------------------------------

@mistake(ag.SourceUnavailableError, "there is no source for 'f'", "hint: put the function into a")
def a_function_from_a_string() -> None:
    made: dict[str, Any] = {}
    exec("def f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n", made)
    ag.function(made["f"])(X)


@mistake(ag.ConversionError, "it is a coroutine", "async def f(x):", "^^^^", "hint:")
def a_coroutine() -> None:
    @ag.function
    async def f(x):
        return x


@mistake(NameError, "name 'UNKNOWN' is not defined", "UNKNOWN * x")
def a_cell_that_was_not_run() -> None:
    @ag.function
    def f(x):
        return UNKNOWN * x  # type: ignore[name-defined]  # noqa: F821

    f(X)


@mistake(ag.ConversionError, "sqrt cannot be converted", "hint: it needs no conversion")
def the_code_of_a_ufunc() -> None:
    ag.to_code(np.sqrt)


@mistake(AttributeError, "'numpy.ndarray' object has no attribute 'numpy'", "(x + 1).numpy()")
def an_array_made_an_array() -> None:
    @ag.function
    def f(x):
        return (x + 1).numpy()

    f(X)


IN_OURS = {a_loop_of_another_library, another_shape_for_a_concrete_function}
"""The error comes from a method of a class of ours, or from our module: those are shown."""


@pytest.mark.parametrize(("make", "kind", "said"), MISTAKES,
                         ids=[make.__name__ for make, _, _ in MISTAKES])
def test_mistake_is_explained(make: Callable[[], Any], kind: type[Exception],
                              said: tuple[str, ...]) -> None:
    with pytest.raises(kind) as caught:
        make()
    error = caught.value
    text = "".join(traceback.format_exception(error))
    for part in said:
        assert part in text, text
    assert "object at 0x" not in text, text
    assert kind is RecursionError or "During handling" not in text, text
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert make in IN_OURS or not any(map(is_ours, frames)), text


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "f.agz"
    with pytest.raises(FileNotFoundError) as caught:
        ag.save(path, ag.function(lambda x: x), (X,))
    assert caught.value.filename == str(path)


def test_what_is_saved_comes_second() -> None:
    with pytest.raises(ag.errors.SaveError, match=r"hint: write ag\.save\(path, f"):
        ag.save(ag.function(lambda x: x), "f.agz", (X,))  # type: ignore[arg-type]
