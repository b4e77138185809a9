"""Decorated functions in pools of threads and processes, as `concurrent.futures` and joblib."""

import importlib
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.serialize.save import dumps, loads

PROGRAMS = '''
import functools
import numpy as np
import autograph as ag


@ag.function
def total(x, n=3):
    s = 0.0
    for i in range(n):
        if np.sum(x) > s:
            s = s + np.sum(x * i)
    return s


@ag.function(jit_compile=True)
def squares(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s


def times(k):
    @ag.function
    def h(x):
        return np.sum(x) * k
    return h


def slope(x):
    return ag.grad(total)(x)


class Held:
    def __init__(self, k):
        self.k = k

    @ag.function
    def method(self, x):
        return np.sum(x) * self.k

    @classmethod
    @ag.function
    def of_class(cls, x):
        return np.sum(x) + len(cls.__name__)

    @staticmethod
    @ag.function
    def static(x):
        return np.sum(x) * 2


class Model(ag.Module):
    def __init__(self):
        super().__init__("model")
        self.v = ag.Variable(np.arange(3.0))

    @ag.function
    def __call__(self, x):
        return np.sum(self.v * x)

    @ag.function
    def added(self, x):
        return self.v + x


with_two = functools.partial(total, n=2)
doubled = times(2.0)
doubled.__qualname__ = "doubled"
'''

ARRAYS = [np.arange(3.0) + i for i in range(3)]

SENT: dict[str, Callable[[ModuleType], Any]] = {
    "function": lambda m: m.total,
    "native": lambda m: m.squares,
    "plain function that calls": lambda m: m.slope,
    "method": lambda m: m.Held(3).method,
    "class method": lambda m: m.Held.of_class,
    "static method": lambda m: m.Held.static,
    "module": lambda m: m.Model(),
    "method of a module": lambda m: m.Model().added,
    "partial": lambda m: m.with_two,
    "closure with a name": lambda m: m.doubled,
    "trace": lambda m: m.total.get_concrete_function(ARRAYS[0]),
    "trace of a closure": lambda m: m.times(4.0).get_concrete_function(ARRAYS[0]),
    "trace of a method": lambda m: m.Held(5).method.get_concrete_function(ARRAYS[0]),
    "loaded": lambda m: loads(dumps(m.total, (ARRAYS[0],))),
    "loaded module": lambda m: loads(dumps(m.Model(), {"added": (ARRAYS[0],)})).added,
}


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    folder = tmp_path_factory.mktemp("pools")
    (folder / "programs_of_pools.py").write_text(PROGRAMS)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("programs_of_pools")


@pytest.fixture(scope="module")
def pool(module: ModuleType) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as made:
        yield made


@pytest.mark.parametrize("name", SENT)
def test_a_process_pool_takes_it(name: str, module: ModuleType, pool: ProcessPoolExecutor) -> None:
    sent = SENT[name](module)
    wanted = [sent(x) for x in ARRAYS]
    found = list(pool.map(sent, ARRAYS))
    assert [np.asarray(x).tolist() for x in found] == [np.asarray(x).tolist() for x in wanted]
    assert list(map(type, found)) == list(map(type, wanted))


@pytest.mark.parametrize("name", SENT)
def test_a_pool_of_threads_takes_it(name: str, module: ModuleType) -> None:
    sent = SENT[name](module)
    wanted = [np.asarray(sent(x)).tolist() for x in ARRAYS]
    with ThreadPoolExecutor(2) as threads:
        assert [np.asarray(x).tolist() for x in threads.map(sent, ARRAYS)] == wanted


@pytest.mark.parametrize("calls", [0, 40])
def test_what_sends_functions_as_their_code_meets_the_reason_first(calls: int) -> None:
    """As joblib and Dask do with functions of a script, which have no module to import."""
    local = ag.function(lambda x: x + 1)
    for _ in range(calls):
        local(ARRAYS[0])
    with pytest.raises(pickle.PicklingError, match=r"send a graph: .*get_concrete_function"):
        pickle.dumps(local.__code__.co_consts)
    with pytest.raises(pickle.PicklingError, match="get_concrete_function"):
        pickle.dumps(local.__ag_dispatcher__)
    graph = local.get_concrete_function(ARRAYS[0])
    assert pickle.loads(pickle.dumps(graph))(ARRAYS[0]).tolist() == [1, 2, 3]


def test_the_code_of_a_script_may_refer_to_the_package() -> None:
    assert pickle.loads(pickle.dumps(ag)) is ag


def test_a_file_is_loaded_in_the_process(tmp_path: Path, module: ModuleType,
                                         pool: ProcessPoolExecutor) -> None:
    ag.save(tmp_path / "f.agz", module.total, (ARRAYS[0],))
    assert pool.submit(ag.load, tmp_path / "f.agz").result()(ARRAYS[0]) == module.total(ARRAYS[0])
