"""Functions of comprehensions over lengths of the run, and names of attributes that it decides."""

import numpy as np
import pytest

import autograph as ag


class Settings:
    def __init__(self):
        self.scale = 1.0


def lambdas(a, x, o):
    made = [lambda n=1, v=v: v * n + a for v in x[:int(a)]]
    return [f(2) for f in made] + [f() for f in made]


def tables(a, x, o):
    made = {int(v): (lambda v=v: v) for v in x[:int(a)]}
    return sorted((k, f()) for k, f in made.items())


def late(a, x, o):
    return [f() for f in [lambda: v for v in (1, 2, 3)]]  # noqa: B023


def names(a, x, o):
    if a > 1:
        o.extra = a
    return sorted(vars(o)), "extra" in o.__dict__, vars(o).get("extra")


@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}])
@pytest.mark.parametrize("f", [lambdas, tables, late, names])
@pytest.mark.filterwarnings("error::autograph.FallbackWarning")
def test_as_in_python(f, options):
    made = ag.function(f, **options)
    for a in (0.0, 2.0, 3.0, 1.0):
        one, other = Settings(), Settings()
        assert str(made(np.float64(a), np.arange(1.0, 4.0), one)) == str(
            f(np.float64(a), np.arange(1.0, 4.0), other))
        assert vars(one) == vars(other)
