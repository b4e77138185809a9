"""What looks at the clock, or asks the system for random bytes, does so at each call."""

import datetime
import os
import secrets
import time
import uuid
from datetime import datetime as moment
from typing import Any

import numpy as np
import pytest

import autograph as ag

ASKED: dict[str, Any] = {
    "datetime.now": lambda x: x + datetime.datetime.now().timestamp(),
    "an imported name": lambda x: (x, f"{moment.now(datetime.UTC):%H:%M:%S %f}"),
    "difference": lambda x: x + (
        moment.now() - moment(2020, 1, 1)).total_seconds(),
    "a datetime of NumPy's": lambda x: x + np.datetime64("now", "us").astype(np.int64),
    "of a datetime": lambda x: (x, np.datetime64(moment.now())),
    "time": lambda x: x + time.time(),
    "urandom": lambda x: (x, os.urandom(8)),
    "uuid": lambda x: (x, str(uuid.uuid4())),
    "secrets": lambda x: (x, secrets.token_hex(8)),
}


@pytest.mark.parametrize("name", ASKED)
def test_each_call_asks_anew(name: str) -> None:
    f = ag.function(ASKED[name])
    first = f(1.0)
    time.sleep(1.01 if name == "a datetime of NumPy's" else 0.001)
    assert repr(f(1.0)) != repr(first)
    assert f.experimental_get_tracing_count() == 1


def test_the_clock_is_read_between_what_is_around_it() -> None:
    @ag.function
    def lasts(x: Any) -> Any:
        began = moment.now()
        time.sleep(0.01)
        return x * 2, moment.now() - began

    for _ in range(2):
        assert lasts(np.ones(2))[1] >= datetime.timedelta(seconds=0.009)


def test_a_given_time_is_a_constant() -> None:
    @ag.function
    def fixed(x: Any) -> Any:
        return x, np.datetime64("2020-01-01"), moment(2020, 1, 1)

    assert fixed(1.0)[1:] == (np.datetime64("2020-01-01"), moment(2020, 1, 1))
    assert "datetime" not in str(fixed.graph(1.0)).partition("\n")[0]
