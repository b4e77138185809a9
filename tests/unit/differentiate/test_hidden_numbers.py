"""Numbers in text, records and objects have no tangents: what reads them again is refused."""

import ast
import json
from collections import deque
from collections.abc import Collection

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops.derivatives import Zero
from autograph.runtime.ops.op import OPS
from tests.support.slopes import Trial

READ_AGAIN = {
    "float of str": lambda x: float(str(x)) * x,
    "a formatted string": lambda x: float(f"{x:.9f}") + x,
    "json": lambda x: json.loads(json.dumps([x * 2.0]))[0],
    "literal_eval": lambda x: ast.literal_eval(repr(x)),
    "an array of text": lambda x: np.sum(np.array([x, x]).astype(str).astype(float)),
    "text through recursion": lambda x: told_again(3, x),
    "bits": lambda x: np.array([x, x]).view(np.int64).view(float).sum(),
    "bits in a loop": lambda x: bits_in_a_loop(np.array([x, x])),
    "sets": lambda x: sum({x, 2.0} & {x, 3.0}) + sum({x} | {x * x}) + sum({x} ^ {2.0}),
    "sets in place": lambda x: sum(joined({x}, {x * x})),
    "a key of a dict": lambda x: next(iter({x: 1.0})),
    "a value at a key": lambda x: {x: x * 2.0}[x],
}


def told_again(n, x):
    return x if n < 1 else float(str(told_again(n - 1, x) * 2.0))


def bits_in_a_loop(x):
    bits, k = x.view(np.int64), 0
    while k < 3 and x[0] > 0:
        bits, k = bits + 0, k + 1
    return bits.view(float).sum()


def joined(a, b):
    a |= b
    return a


@pytest.mark.parametrize("f", READ_AGAIN.values(), ids=READ_AGAIN)
@pytest.mark.parametrize("run", [ag.grad, lambda f: lambda x: ag.jvp(f, (x,), (1.0,))],
                         ids=["reverse", "forward"])
def test_numbers_that_text_tells_are_refused(f, run):
    with pytest.raises(ag.NotDifferentiable):
        run(f)(2.5)


def test_a_method_of_an_object_that_only_the_run_knows_is_refused():
    """The object that a bound method changes is read later."""
    def last(q, x):
        for v in x:
            q.append(v)
        return sum(q)

    with pytest.raises(ag.NotDifferentiable, match=r"(?s)object.*q\.append"):
        ag.jvp(last, (deque([1.0]), np.arange(3.0)), (None, np.ones(3)))


NO_NUMBERS_OF_ITS_OPERAND = ("stop_gradient", "empty_like")
"""It is zero on purpose, or what it gives is what memory happens to hold."""


@pytest.mark.parametrize("op", [op for op in OPS.values() if isinstance(op.derivative, Zero)
                                and op.name not in NO_NUMBERS_OF_ITS_OPERAND],
                         ids=lambda op: op.name)
def test_what_gives_items_of_containers_has_no_derivative_of_zero(op):
    """A rule of zero that holds of numbers alone has to say so."""
    for make in (lambda x: {x, 7.5}, lambda x: [x], lambda x: {"a": x}, lambda x: deque([x])):
        for more in ((), (make(3.25),)):
            try:
                made = op.kernel(make(2.5), *more)
            except Exception:
                continue  # such an operand has no such operation
            assert op.derivative.of_numbers or not holds(made, 2.5)


def holds(made, number):
    """Whether an object is a container of a number, or of such a container."""
    if isinstance(made, (str, bytes)) or not isinstance(made, (Collection, np.ndarray)):
        return False
    items = list(made.values() if isinstance(made, dict) else np.ravel(made) if isinstance(
        made, np.ndarray) else made)
    return any((isinstance(x, float) and x == number) or holds(x, number) for x in items)


def test_a_dict_of_pairs_has_the_derivatives_of_its_values():
    def f(x):
        d, s = {1.5: x * 2.0, 2.5: x * x}, 0.0
        for k in (1.5, 2.5):
            s = s + d[k]
        return s

    assert Trial(f, (2.5,)).verdict().outcome == "agree"


def test_the_error_names_the_op_and_the_line():
    with pytest.raises(ag.NotDifferentiable, match=r"(?s)str_.*text.*float\(str\(x\)\)"):
        ag.grad(lambda x: float(str(x)))(2.5)


def test_text_that_nothing_reads_again_is_no_obstacle():
    """Text that is returned, printed, counted or compared."""
    def f(x):
        told = f"{x:.3f}"
        return (x * x if len(told) > 3 and told != "1" else x), told

    assert ag.jvp(f, (2.5,), (1.0,))[1][0] == 5.0
    value, pullback = ag.vjp(f, 2.5)
    assert pullback((1.0, value[1])) == (5.0,)


def test_records_are_refused():
    """A field of a structured array is written and read."""
    def mean(people, factor):
        people["salary"] *= factor
        return people["salary"].mean()

    people = np.array([(1, 2.0), (2, 4.0)], [("age", int), ("salary", float)])
    for run in (lambda: ag.grad(mean, argnums=1)(people, 1.5),
                lambda: ag.jvp(mean, (people, 1.5), (None, 1.0))):
        with pytest.raises(ag.NotDifferentiable, match="records"):
            run()


SPLITS = {
    "hsplit": lambda x: np.hsplit(x, 3), "vsplit": lambda x: np.vsplit(x, 2),
    "gradient": lambda x: np.gradient(x), "used": lambda x: [2.0 * p for p in np.hsplit(x, 3)],
}


@pytest.mark.parametrize("f", SPLITS.values(), ids=SPLITS)
def test_results_that_are_lists(f):
    """What a rule gives as a list of arrays keeps its derivatives."""
    verdict = Trial(f, (np.arange(6.0).reshape(2, 3) ** 2,)).verdict()
    assert verdict.outcome == "agree", verdict.told
