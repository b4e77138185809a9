"""Mocks, which answer every question by making another mock: the run calls them, and the trace asks
them nothing."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

import autograph as ag
from tests.support.beside_plain import limited

X = np.float64(2)


def helper(x: Any) -> Any:
    return x + 1


def test_a_mock_is_called_by_each_run() -> None:
    mocked = mock.Mock(return_value=3.0)
    f = ag.function(lambda x: mocked(x, k=1) + x)
    with limited(20):
        assert [f(X), f(X + 1)] == [5.0, 6.0]
    assert mocked.call_args_list == [mock.call(X, k=1), mock.call(X + 1, k=1)]


def test_what_a_mock_makes_is_called() -> None:
    mocked = mock.MagicMock()
    mocked.table.row.return_value = [X, X]
    f = ag.function(lambda x: mocked.table.row(x)[1] * x if x > 0 else x)
    with limited(20):
        assert f(X) == 4.0
        assert f(-X) == -2.0
    assert mocked.mock_calls == [mock.call.table.row(X)]


@pytest.mark.parametrize("mock_class", (mock.Mock, mock.MagicMock))
def test_a_helper_is_patched(mock_class: type) -> None:
    f = ag.function(lambda x: helper(x) * 2, captures="guard")
    with limited(20):
        assert f(X) == 6.0
        with mock.patch(f"{__name__}.helper", mock_class(return_value=9.0)) as patched:
            assert f(X) == 18.0
        assert f(X) == 6.0
    patched.assert_called_once_with(X)
