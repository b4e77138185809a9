"""The wheel holds exactly the modules of the tree: a sub-package nobody listed would be lost."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.house.checkout import PACKAGES, ROOT, files, module_name

BUILD = """
import sys
from setuptools import build_meta
print(build_meta.build_wheel(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree (building writes into the tree)."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for name in files():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name, follow_symlinks=False)
    result = subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=tree,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return next(out.glob("*.whl"))


@pytest.mark.slow
def test_wheel_holds_the_modules_of_the_tree(wheel: Path) -> None:
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert {name for name in held if name.endswith(".py")} == {
        expected(file) for file in files() if file.split("/")[0] in PACKAGES
        and file.endswith(".py")}
    assert "autograph/py.typed" in held


@pytest.mark.slow
def test_wheel_has_no_other_top_level_name(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"autograph"}


@pytest.mark.slow
def test_wheel_imports_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    names = [module_name(file) for file in files() if file.split("/")[0] in PACKAGES
             and file.endswith(".py") and not file.endswith("__main__.py")]
    program = f"import importlib; [importlib.import_module(n) for n in {names!r}]"
    result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True,
                            text=True, env={"PYTHONPATH": str(wheel)})
    assert result.returncode == 0, result.stderr


def expected(file: str) -> str:
    """Where the wheel keeps a file: `runtime/ir/graph.py` at `autograph/runtime/graph.py`."""
    if file.endswith("__init__.py"):
        return module_name(file).replace(".", "/") + "/__init__.py"
    return module_name(file).replace(".", "/") + ".py"
