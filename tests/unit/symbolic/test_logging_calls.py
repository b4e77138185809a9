"""Calls of `logging`: every run makes the records of the plain function, at its lines."""

from __future__ import annotations

import io
import logging
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load

CALLS = {
    "a number": "log.info('x is %.2f', x)",
    "as text": "log.warning('x is %s, %s', x, 'text')",
    "an array": "log.error('a is %s', np.ones(2) * x)",
    "a formatted text": "log.info(f'x is {x:.1f}')",
    "by name": "log.info('%(a)s %(b).1f', {'a': 'text', 'b': x})",
    "a constant": "log.critical('here')",
    "not enabled": "log.debug('x is %d', x)",
    "by level": "log.log(35, 'x is %g', x)",
    "an older name": "log.fatal('x is %g', x)",
    "an adapter": "adapter.info('x is %g', x)",
    "an adapter by level": "adapter.log(35, 'x is %g', x)",
    "a function of the module": "logging.warning('x is %g', x)",
    "more attributes": "log.info('x is %g', x, extra={'own': 3})",
    "the caller's line": "helped(x)",
    "asked first": "log.isEnabledFor(10) or log.info('not debugged: %g', x)",
    "an exception": "caught(x)",
    "a list": "log.info('all: %s', [x, 2])",
}
FORMS = {
    "once": "  {call}\n",
    "in a branch": "  if x > 1:\n    {call}\n",
    "in a loop": "  for i in range(2):\n    {call}\n    x = x + 1\n",
    "in a while loop": "  while x > 1:\n    {call}\n    x = x - 1\n",
    "in a function": "  def g(x):\n    {call}\n  g(x)\n",
}
TEXT = """
import logging
import numpy as np
log = logging.getLogger({name!r})
adapter = logging.LoggerAdapter(log, {{'own': 2}})
def helped(x):
  log.info('x is %g', x, stacklevel=2)
def caught(x):
  try:
    if x > 2: raise ValueError('large')
  except ValueError:
    log.exception('it was %g', x)
def f(x):
{body}  return x
"""


class Records(logging.Handler):
    """Keeps what records say, and where they are from."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.got.append((
            record.levelname, record.getMessage(), record.lineno, record.funcName, record.pathname,
            record.name, vars(record).get("own"), record.exc_info and record.exc_info[0]))


def records(call: str, form: str, decorate: Any) -> list[Any]:
    name = f"<logs {call} {form}>"
    scope = load(TEXT.format(name=name, body=FORMS[form].format(call=CALLS[call])), name)
    handler, f = Records(), decorate(scope["f"])
    loggers = logging.getLogger(name), logging.root
    loggers[0].setLevel(logging.INFO)
    loggers[0].propagate = False
    for logger in loggers:
        logger.addHandler(handler)
    try:
        for x in (1.0, 3.0, 2.0):
            f(np.float64(x))
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    return handler.got


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("call", CALLS)
def test_every_run_logs_as_plain_python(call: str, mode: str) -> None:
    for form in FORMS:
        expected = records(call, form, lambda f: f)
        assert records(call, form, lambda f: ag.function(f, **MODES[mode])) == expected, form


def test_a_handler_that_the_function_reads_is_refused() -> None:
    log, handler = logging.Logger("own"), Records()
    log.addHandler(handler)

    @ag.function
    def told(x: float) -> float:
        log.warning("x is %g", x)
        return x + len(handler.got)

    with pytest.raises(ag.errors.TracingError, match="a Records gets what the function logs"):
        told(np.float64(1.0))


def logs_into_a_text(x):
    text, log = io.StringIO(), logging.Logger("own")
    handler = logging.StreamHandler(text)
    log.addHandler(handler)
    log.warning("x is %g", x)
    log.removeHandler(handler)
    return text.getvalue()


def test_a_handler_that_the_function_makes_gets_what_it_logs() -> None:
    with pytest.warns(ag.FallbackWarning, match=r"addHandler\(\) changes the logger 'own'"):
        assert ag.function(logs_into_a_text)(np.float64(2.0)) == "x is 2\n"
