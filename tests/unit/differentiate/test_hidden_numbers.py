"""Numbers in text, records and objects have no tangents: what reads them again is refused."""

import ast
import json

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

READ_AGAIN = {
    "float of str": lambda x: float(str(x)) * x,
    "a formatted string": lambda x: float(f"{x:.9f}") + x,
    "json": lambda x: json.loads(json.dumps([x * 2.0]))[0],
    "literal_eval": lambda x: ast.literal_eval(repr(x)),
    "an array of text": lambda x: np.sum(np.array([x, x]).astype(str).astype(float)),
}


@pytest.mark.parametrize("f", READ_AGAIN.values(), ids=READ_AGAIN)
@pytest.mark.parametrize("run", [ag.grad, lambda f: lambda x: ag.jvp(f, (x,), (1.0,))],
                         ids=["reverse", "forward"])
def test_numbers_that_text_tells_are_refused(f, run):
    with pytest.raises(ag.NotDifferentiable):
        run(f)(2.5)


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
