"""Functions that ask for their local names: as they were written, converted or not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag


def checks_every_argument(x, y):
    if not all(isinstance(v, (float, int)) for v in locals().values()):
        return "no number"
    return x + y if x > y else x - y


def keeps_options(x, rate=0.5):
    options = locals()
    while x > 1:
        x = x * options["rate"]
    return x, sorted(options), "{rate}".format(**options)


def some_are_unbound(x):
    y = 2
    del y
    doubled = [2 * i for i in range(3)]
    found = dict(locals())
    if x > 0:
        late = 3
    else:
        late = 4
    return found, late, doubled


def in_a_handler(x):
    try:
        found = locals()
        if x > 0:
            raise ValueError("positive")
    except ValueError:
        return sorted(found)
    return 0


def every_kind_of_parameter(x, *rest, k=2, **options):
    def inner():
        return w
    w = 3
    late = x + k
    found = list(locals())
    return found, "%(x)s %(late)s" % locals(), f"{locals()['late']:.1f}"  # noqa: UP031


def two_calls(x):
    first = locals()
    y = x + 1
    first["added"] = 2
    second = locals()
    return first is second, sorted(first), sorted(second)


class Options:
    def __init__(self, scale, most):
        vars(self).update({k: v for k, v in locals().items() if k != "self"})

    def scaled(self, x):
        found = locals()
        return x * self.scale if x > self.most else found["x"]


def in_methods(x):
    options = Options(2.0, x)
    return options.scaled(x + 1), options.scaled(x - 1), sorted(vars(options))


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}],
                         ids=["default", "runtime"])
@pytest.mark.parametrize("program", [checks_every_argument, keeps_options, some_are_unbound,
                                     in_a_handler, in_methods, every_kind_of_parameter,
                                     two_calls], ids=lambda f: f.__name__)
def test_as_in_python(program: Callable[..., Any], options: dict[str, Any]) -> None:
    f, count = ag.function(program, **options), program is checks_every_argument
    for x in (np.float64(3.0), np.float64(-1.0)):
        given = (x, np.float64(1.0))[:1 + count]
        assert repr(f(*given)) == repr(program(*given))
        assert repr(ag.convert(program)(*given)) == repr(program(*given))


def in_a_branch(x):
    y = 2 * x
    if x > 0:
        z = y
        found = locals()
        z = x
        return sorted(found), found["z"]
    return isinstance(y, np.float64), "{x} {y}".format(**locals())


def in_a_loop(x):
    total = late = 0
    for i in range(3):
        total = total + x
        if total > 3:
            late = i
        if total > 4:
            total = total + len(locals()) + locals()["i"]
    while total > 7:
        total = total - len(locals())
    return total, late if total > 3 else 0


def in_an_inner_function(x):
    w = x + 1

    def inner(y):
        if y > 0:
            y = y + x
            return locals()
        return sorted(locals()), isinstance(y, np.float64), w

    return inner(x)


class InMethods:
    def scaled(self, x):
        def step(y, *rest, k=2):
            return locals() if y > k else {**locals(), "k": self.scale}

        self.scale = x if x > 0 and len(locals()) == 3 else 4
        return step(self.scale, x)


def in_a_nested_method(x):
    return sorted((k, v) for k, v in InMethods().scaled(x).items() if k != "self")


@pytest.mark.parametrize("program", [in_a_branch, in_a_loop, in_an_inner_function,
                                     in_a_nested_method], ids=lambda f: f.__name__)
def test_where_the_call_moves_into_another_frame(program: Callable[..., Any]) -> None:
    f = ag.function(program)
    for x in (np.float64(3.0), np.float64(-1.0), np.float64(0.5)):
        assert repr(f(x)) == repr(program(x))


def looks_otherwise(x):
    return dir() if x > 0 else x


def in_a_comprehension(x):
    found = [sorted(locals()) for _ in range(2)]
    return found if x > 0 else x


def evaluates(x):
    return eval("x + 1") if x > 0 else x


@pytest.mark.parametrize(("program", "viewer"), [
    (looks_otherwise, "dir"), (in_a_comprehension, "locals"), (evaluates, "eval")])
def test_stays_as_it_is_where_the_frame_matters(program: Callable[..., Any], viewer: str) -> None:
    assert "ag.own_" not in ag.to_code(program)
    with pytest.raises(ag.errors.SymbolicValueError, match=rf"hint: {viewer}\(\) looks at the"):
        ag.function(program).graph(np.float64(1.0))
    with pytest.warns(ag.FallbackWarning, match=rf"(?s)in {program.__name__}.*{viewer}\(\)"):
        assert repr(ag.function(program)(np.float64(-1.0))) == repr(program(np.float64(-1.0)))


def inner_function_with_a_cell(x):
    k = 1

    def inner():
        return k, sorted(locals())
    return inner(), sorted(locals()), x


def test_inner_functions_of_one_that_has_no_plain_form_are_converted_once() -> None:
    assert ag.convert(inner_function_with_a_cell)(3) == inner_function_with_a_cell(3)
