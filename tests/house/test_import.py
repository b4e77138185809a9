"""`import autograph` loads next to nothing; a name of it loads what it needs, and no more."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograph.facade import HOMES, NAMESPACES
from tests.house.checkout import ROOT

LATER = ("numpy.random", "concurrent.futures", "html", "astunparse", "autograph.printer.statements",
         "autograph.explain", "autograph.runtime.codegen.standalone", "importlib.resources",
         "difflib", "autograph.gradients", "autograph.runtime.differentiate",
         "autograph.runtime.serialize", "autograph.runtime.export", "autograph.checking",
         "autograph.runtime.disk.entries", "hashlib")
"""What takes long to import, and is of use in few programs."""


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, check=True,
                          capture_output=True).stdout


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    return set(run("import sys, autograph as ag; ag.function; print(*sys.modules)").split())


@pytest.mark.parametrize("name", LATER)
def test_decorator_leaves_to_later(name: str, loaded: set[str]) -> None:
    assert "autograph.function" in loaded
    assert name not in loaded


@pytest.mark.parametrize("call", ["enable", "disable"])
def test_the_collector_of_cycles_goes_on_as_it_was(call: str) -> None:
    assert run(f"import gc; gc.{call}(); import autograph as ag; ag.function; "
               "print(gc.isenabled())") == f"{call == 'enable'}\n"


def test_import_loads_names_alone() -> None:
    loaded = run("import sys; before = {*sys.modules}; import autograph; "
                 "print(*({*sys.modules} - before))").split()
    assert {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names} == {
        "autograph", "autograph.extension_points", "autograph.facade", "autograph.locks",
        "autograph.version"}


COMPILER = "gast", "astunparse"

SAVED = """
import autograph as ag, numpy as np

@ag.function
def clip(x, n):
    for i in range(n):
        if x[i] > 1:
            x[i] = 1
    return {"sum": x.sum(), "norm": np.linalg.norm(x)}

class Counter(ag.Module):
    def __init__(self):
        self.total = ag.Variable(np.zeros(3))

    @ag.function
    def __call__(self, x):
        return self.total.assign_add(x) * 2.0

slope = ag.grad(lambda x: np.sum(np.sin(x) ** 2))
x = np.array([0.5, 2.0, -3.0])
ag.save("clip.agz", clip, (np.ones(3), ag.TensorSpec((), np.int64)), samples=[(x, np.int64(3))])
ag.save("counter.agz", Counter(), {"__call__": (x,)})
ag.save("slope.agz", ag.function(lambda x: slope(x)), (x,), samples=[(x,)])
"""

RUNS = f"""
import sys
sys.modules.update(dict.fromkeys({COMPILER}))
import autograph as ag, numpy as np, pickle

for executor in ("python", "interpreter"):
    for name in ("clip", "slope"):
        f = ag.load(name + ".agz", verify=True, executor=executor)
        ag.save("again.agz", pickle.loads(pickle.dumps(f)))
        assert open(name + ".agz", "rb").read() == open("again.agz", "rb").read()
        assert name in f.explain() or name == "slope"
counter = ag.load("counter.agz")
assert list(counter(np.ones(3)) + counter.total) == [3.0, 3.0, 3.0]
ag.Checkpoint("state", counter).save()
try:
    f(object())
except ag.InvalidArgumentError:
    pass
try:
    ag.function
except ImportError as error:
    print(error)
"""


def test_saved_functions_run_without_the_compiler_and_its_dependencies(tmp_path: Path) -> None:
    (tmp_path / "saved.py").write_text(SAVED, "utf-8")
    (tmp_path / "runs.py").write_text(RUNS, "utf-8")
    outputs = [subprocess.run([sys.executable, name], cwd=tmp_path, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
               for name in ("saved.py", "runs.py")]
    assert outputs[1].stdout.startswith("ag.function needs the package")


def test_the_table_of_names_is_what_type_checkers_read() -> None:
    tree = ast.parse((ROOT / "autograph" / "__init__.py").read_text("utf-8"))
    read = {alias.asname: f"{node.module}.{alias.name}" for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.level == 0 for alias in node.names
            if alias.asname and not alias.asname.startswith("_") and alias.asname != "__version__"}
    homes = {name: f"{home}.{name}" for home, names in HOMES.items() for name in names.split()}
    assert read == homes | NAMESPACES


THREADS = """
import threading
import autograph as ag

names = ["function", "grad", "load", "and_", "config", "Variable", "check", "print"] * 2
start = threading.Barrier(len(names))
failed = []

def use(name):
    start.wait()
    try:
        found = getattr(ag, name)
        assert callable(found) or name == "config"
    except BaseException as error:
        failed.append(error)

workers = [threading.Thread(target=use, args=(name,)) for name in names]
[w.start() for w in workers], [w.join() for w in workers]
import autograph.function.types
print(failed, ag.function.__name__)
"""


def test_threads_may_use_names_for_the_first_time_at_once() -> None:
    assert run(THREADS) == "[] function\n"


DRAWS = '''
import linecache, sys
import numpy as np
import autograph as ag

TEXT = """
def draw(x):
    np.random.seed(3)
    rng = np.random.default_rng(7)
    return x + np.random.rand() + rng.normal()
"""
assert "numpy.random" not in sys.modules
linecache.cache["draws"] = len(TEXT), None, TEXT.splitlines(True), "draws"
exec(compile(TEXT, "draws", "exec"))
traced = ag.function(draw)
x = np.ones(2)
assert [str(traced(x)), str(traced(x))] == [str(draw(x)), str(draw(x))]
print(*{e.op.name for e in traced.graph(x).walk()} & {"draw", "make_generator"})
'''


def test_random_numbers_are_drawn_by_the_graph_if_numpy_imports_them_late() -> None:
    assert set(run(DRAWS).split()) == {"draw", "make_generator"}
