"""A user's module may have the name of one of Python's: its objects are the user's."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from autograph.libraries import is_library, is_python

PROGRAM = '''
import autograph as ag

class Queue:
    def __init__(self):
        self.items = []
        self.count = 0

    def push(self, x):
        self.items.append(x)
        self.count += 1

QUEUE = Queue()

def argument(queue, x):
    if x.sum() > 1:
        queue.push(x * 2)
        queue.count += 5
    return queue.count

def captured(queue, x):
    if x.sum() > 1:
        QUEUE.push(x * 2)
    return QUEUE.count + x

def made(queue, x):
    own = Queue()
    for row in x:
        if row > 1:
            own.push(row)
    return own.count, len(own.items)
'''


@pytest.fixture(params=["queue", "calendar", "sched", "statistics", "wave", "model"])
def module(request: pytest.FixtureRequest, tmp_path: Path,
           monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    file = tmp_path / f"{request.param}.py"
    file.write_text(PROGRAM)
    spec = importlib.util.spec_from_file_location(request.param, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, request.param, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["argument", "captured", "made"])
def test_objects_of_the_users_module(module: ModuleType, name: str) -> None:
    assert not is_library(module.__name__) and not is_python(module.__name__)
    found = []
    for run in (lambda f: f, module.ag.function):
        f, queue = run(getattr(module, name)), module.Queue()
        module.QUEUE.__init__()
        results = [f(queue, np.array([value, 1.0])) for value in (0.0, 3.0, 4.0)]
        found.append([str(results), str(queue.__dict__), str(module.QUEUE.__dict__)])
    assert found[0] == found[1]
