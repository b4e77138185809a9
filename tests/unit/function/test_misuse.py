"""Mistakes with options, derivatives, directives: the error says what is wrong, what to write."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import ExportError


def plain(x: Any) -> Any:
    return x


def misspelt_loop_option(x: Any) -> Any:
    for _ in range(3):
        ag.set_loop_options(unrol=True)
        x = x + 1
    return x


def with_rule_of_one_value() -> Any:
    f = ag.custom_vjp(lambda x: x)
    f.defvjp(lambda x: x, lambda kept, g: (g,))
    return ag.grad(f)(2.0)


def strict_as_text() -> None:
    ag.config.strict = "yes"


@pytest.mark.parametrize(("kind", "said", "mistake"), [
    (TypeError, "max_traces is a number or None, not 'many'",
     lambda: ag.function(plain, max_traces="many")),
    (ValueError, "max_traces must be 1 or more, not 0", lambda: ag.function(plain, max_traces=0)),
    (TypeError, "hint: write (x,) for one",
     lambda: ag.while_loop(lambda i: i < 3, lambda i: (i + 1,), 0)),  # type: ignore[arg-type]
    (TypeError, "hint: write (x,) for one",
     lambda: ag.while_loop(plain, plain, 0, maximum_iterations=3)),  # type: ignore[arg-type]
    (TypeError, "hint: write (x,) for one",
     lambda: ag.for_loop([1], plain, 0)),  # type: ignore[arg-type]
    (ValueError, "<lambda> returned NoneType, not 0 values\n  hint: Tout is a list",
     lambda: ag.py_function(lambda: None, [], [])),
    (ValueError, "<lambda> returned float, not 2 values",
     lambda: ag.py_function(lambda: 1.0, [], [float, float])),
    (ExportError, "'str' has no graph\n  hint: write ag.export_onnx(path, f, x)",
     lambda: ag.export_onnx(ag.function(plain), "a.onnx")),  # type: ignore[arg-type]
    (ExportError, "plain has no graph", lambda: ag.export_onnx(None, plain, 3)),
    (TypeError, "the level is a number from 0 to 3, not 'high'",
     lambda: ag.set_verbosity("high")),  # type: ignore[arg-type]
    (ValueError, "arrays of one length go along together, not of 2 and 5 items",
     lambda: ag.vmap(lambda x, y: x + y)(np.ones(2), np.ones(5))),
    (ValueError, "arrays of one length go along together, not of 2 and 5 items",
     lambda: ag.function(lambda x, y: ag.map_fn(sum, (x, y)))(np.ones(2), np.ones(5))),
    (ValueError, "arrays of one length go along together, not of 3 and 4 items",
     lambda: ag.function(lambda x, n, m: ag.vmap(lambda p, q: p + q)(x[:n], x[:m]))(
         np.ones(5), np.int64(3), np.int64(4))),
    (ValueError, "arrays of one length go along together, not of 3 and 2 items",
     lambda: ag.function(lambda x, n: ag.foldl(lambda s, p: s + p[0], (x[:n], x), 0.0))(
         np.ones(3), np.int64(2))),
    (TypeError, "atomic is True or False", lambda: ag.function(plain, atomic="yes")),
    (TypeError, "jit_compile is True, False or None",
     lambda: ag.function(plain, jit_compile="native")),
    (TypeError, "ag.config.strict is True or False, not 'yes'", strict_as_text),
    (TypeError, "ag.config.cache_bytes is a number, not '1 GB'",
     lambda: setattr(ag.config, "cache_bytes", "1 GB")),
    (AttributeError, "ag.config.check_graphs is a function\n  hint: call it",
     lambda: setattr(ag.config, "check_graphs", True)),
    (TypeError, "jit_compile is True, False or None, not array",
     lambda: ag.function(plain, jit_compile=np.ones(3))),  # type: ignore[call-overload]
    (TypeError, "3 is no shape\n  hint: write Variable(value, dtype, shape=shape)",
     lambda: ag.Variable(1.0, shape=3)),  # type: ignore[arg-type]
    (TypeError, "'flaot' is no dtype\n  hint: write Variable(", lambda: ag.Variable(1.0, "flaot")),
    (TypeError, "b'ab' is no shape", lambda: ag.TensorSpec(b"ab")),
    (TypeError, "{3} is no shape", lambda: ag.TensorSpec({3})),  # type: ignore[arg-type]
    (TypeError, "array(3) is no shape", lambda: ag.TensorSpec(np.array(3))),
    (TypeError, "array([None], dtype=object) in the shape",
     lambda: ag.TensorSpec([np.array([None])])),  # type: ignore[list-item]
    (TypeError, "3 is no shape\n  hint: write TensorArray(",
     lambda: ag.TensorArray(element_shape=3)),  # type: ignore[arg-type]
    (TypeError, "'float' object cannot be interpreted as an integer",
     lambda: ag.TensorArray(np.float64, 2).write(1.5, 0.0)),
    (TypeError, "'numpy.float64' object cannot be interpreted as an integer",
     lambda: [1, 2][ag.Variable(1.0)]),
    (TypeError, "is a list of (predicate, function) pairs, or a dict, not 'ab'",
     lambda: ag.case(["ab"])),  # type: ignore[list-item]
    (TypeError, "the body of ag.for_loop is a function, not int",
     lambda: ag.for_loop([1], 3, (0,))),  # type: ignore[arg-type]
    (ValueError, "out_axes is an axis of the results, not None",
     lambda: ag.vmap(plain, out_axes=None)),  # type: ignore[arg-type]
    (TypeError, "write ag.check(f, x)", lambda: ag.check(None, 3)),  # type: ignore[arg-type]
    (ag.NotDifferentiable, "argnames=3 is no name", lambda: ag.grad(plain, argnames=3)),
    (TypeError, "'flaot' is no dtype", lambda: ag.debugging.assert_type(1.0, "flaot")),
    (TypeError, "3 is no shape", lambda: ag.debugging.assert_shape(np.ones(3), 3)),
    (ag.errors.CheckError, "wrong shape: (4,) wanted",
     lambda: ag.debugging.assert_shape(np.ones(3), (np.int64(4),))),
    (ag.errors.CheckError, "wrong shape: ('n', 'n') wanted",
     lambda: ag.debugging.assert_shape(np.ones((3, 2)), ("n", "n"))),
    (ag.NotDifferentiable, "ag.grad(f)(x)", lambda: ag.grad(plain, np.ones(3))),
    (ag.NotDifferentiable, "argnames is for names", lambda: ag.jacobian(plain, "x")),
    (TypeError, "write ag.jvp(f, (x,), (direction,))",
     lambda: ag.jvp(plain, np.ones(3), np.ones(3))),
    (TypeError, "write ag.hvp(f, (x,), (direction,))",
     lambda: ag.hvp(plain, np.ones(3), np.ones(3))),
    (ag.NotDifferentiable, "has to return a pair", with_rule_of_one_value),
    (ag.NotDifferentiable, "has to return a pair", lambda: ag.custom_gradient(plain)(2.0)),
    (TypeError, "a function is needed here, not int", lambda: ag.map_fn(3, np.ones(3))),
    (ag.ConversionError, "did you mean unroll?", lambda: ag.convert(misspelt_loop_option)),
])
def test_the_mistake_is_named(kind: type[Exception], said: str, mistake: Callable[[], Any]) -> None:
    with pytest.raises(kind) as caught:
        mistake()
    assert said in str(caught.value)
    entry = caught.tb
    while entry.tb_next:
        entry = entry.tb_next
    assert entry.tb_frame.f_code.co_filename == __file__  # no frame of ours, nor of a data class
