"""What is said where a symbolic value reaches code that is not traced."""

import dataclasses
import io
import operator
import os
import warnings

import numpy as np
import pytest

import autograph as ag


def in_a_branch(x):  # type: ignore[no-untyped-def]
    if x > 1:
        return os.fspath(x)
    return ""


def entered(x):  # type: ignore[no-untyped-def]
    with x as y:
        return y


def given_by_keyword(x):  # type: ignore[no-untyped-def]
    return dict(**x)


def printed_with(x):  # type: ignore[no-untyped-def]
    print(1, sep=x)


def in_a_mapping(x):  # type: ignore[no-untyped-def]
    y = x + 1
    return {**y}


def base_of_a_class(x):  # type: ignore[no-untyped-def]
    class Own(x):
        pass
    return Own


@pytest.mark.parametrize("function", [
    os.fspath, in_a_branch, entered, given_by_keyword, printed_with, in_a_mapping,
    base_of_a_class])
@pytest.mark.parametrize("x", [np.float64(2.0), np.arange(3.0), np.int64(4)])
def test_what_refuses_a_value_names_its_class(function, x) -> None:  # type: ignore[no-untyped-def]
    if function is in_a_branch and x.ndim:
        x = x.max()
    with pytest.raises((TypeError, ValueError)) as plain:
        function(x)
    traced = ag.function(lambda x: function(x))
    for _ in range(4):
        with pytest.raises(type(plain.value)) as caught:
            traced(x)
        assert str(caught.value) == str(plain.value)


def test_a_graph_on_its_own_says_that_the_value_is_symbolic() -> None:
    with pytest.raises(TypeError, match="Tensor") as caught:
        ag.function(os.fspath).get_concrete_function(np.float64(2.0))
    (note,) = (n for n in caught.value.__notes__ if "not traced" in n)
    assert "hint: call that function through ag.py_function" in note


def test_a_bool_of_a_symbolic_value_names_the_line() -> None:
    @ag.do_not_convert
    def sign(x):  # type: ignore[no-untyped-def]
        return 1 if x > 0 else -1

    with pytest.raises(ag.errors.SymbolicValueError, match="a Python bool of") as caught:
        ag.function(lambda x: sign(x) * x)(np.float64(2.0))
    assert "return 1 if x > 0 else -1" in str(caught.value) and "np.where" in str(caught.value)


def test_an_error_of_the_users_is_the_users() -> None:
    def refuses(x):  # type: ignore[no-untyped-def]
        if x > 1:
            raise ValueError("no Tensor wanted")
        return x

    f = ag.function(refuses)
    assert f(np.float64(0.5)) == 0.5
    with pytest.raises(ValueError, match="no Tensor wanted"):
        f(np.float64(2.0))


def first_of_the_items(x):  # type: ignore[no-untyped-def]
    match x.tolist():
        case [first, *_]:
            return first
    return -1.0


def first_of_the_numbers(n):  # type: ignore[no-untyped-def]
    match range(n):
        case [first, *_]:
            return first
    return -1


@pytest.mark.parametrize(("function", "arguments"), [
    (first_of_the_items, [np.arange(1.0, 4.0), np.ones(1), np.ones(0)]),
    (first_of_the_numbers, [np.int64(3), np.int64(0)])])
def test_a_match_of_a_sequence_that_the_run_makes(function, arguments) -> None:  # type: ignore[no-untyped-def]
    traced = ag.function(function)
    for x in arguments:
        assert traced(x) == function(x)


def test_a_with_statement_enters_a_stream_of_the_run() -> None:
    @ag.function
    def written(x: np.float64) -> str:
        with io.StringIO() as out:
            out.write(str(x))
            return out.getvalue()

    assert (written(np.float64(2.0)), written(np.float64(3.0))) == ("2.0", "3.0")


def given(text: str) -> str:
    return text


@dataclasses.dataclass
class Measured:
    value: object


def a_field(x):  # type: ignore[no-untyped-def]
    return given("%s m") % x


def a_named_field(x):  # type: ignore[no-untyped-def]
    return given("%(length)s m") % {"length": x}


def a_data_class(x):  # type: ignore[no-untyped-def]
    return given("%s") % Measured(x)


def an_integer(x):  # type: ignore[no-untyped-def]
    return given("%d m") % int(x)


def a_number_of_a_text(x):  # type: ignore[no-untyped-def]
    return float(given("%.1f") % (x / 3)) + 1


def by_a_function(x):  # type: ignore[no-untyped-def]
    return operator.mod("%s", x)


def in_a_list_in_a_branch(x):  # type: ignore[no-untyped-def]
    found = []
    if x > 2:
        found.append(given("%s or %r") % (x, x))
    return found


@pytest.mark.parametrize("function", [a_field, a_named_field, a_data_class, an_integer,
                                      a_number_of_a_text, by_a_function, in_a_list_in_a_branch])
def test_a_text_of_a_symbolic_value_is_in_no_result(function) -> None:  # type: ignore[no-untyped-def]
    traced = ag.function(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.errors.FallbackWarning)
        for x in (np.float64(2.5), np.float64(4.0), np.float64(-1.0)):
            assert traced(x) == function(x)
    if function not in (a_named_field, by_a_function, in_a_list_in_a_branch):  # the run makes them
        with pytest.raises(ag.errors.TracingError, match="symbolic value"):
            traced.get_concrete_function(np.float64(2.5))


def test_a_text_in_a_variable_is_formatted_by_the_run() -> None:
    @ag.function
    def f(x, known, template="<%.1f>"):  # type: ignore[no-untyped-def]
        other = "%r " + "of %d" if known else "%d"
        message = "only %s"
        return template % x, other % ((x, 3) if known else 2), message % x

    for x in np.array([2.5, 4.0]):
        assert f(x, True) == (f"<{x}>", f"{x!r} of 3", f"only {x}")
        assert f(x, False) == (f"<{x}>", "2", f"only {x}")
    assert f.experimental_get_tracing_count() == 2


@pytest.mark.parametrize("given", [[1, 2], 3.0, np.ones(2), None])
def test_nobody_makes_a_tensor_of_a_value(given):
    with pytest.raises(TypeError, match=r"a trace makes tensors.*\n  hint: write np.asarray"):
        ag.Tensor(given)
