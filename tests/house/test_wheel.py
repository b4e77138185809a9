"""Wheel and sdist hold exactly what they should: a sub-package nobody listed would be lost."""

import email
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.house.checkout import PACKAGES, ROOT, files, module_name

BUILD = """
import sys
from setuptools import build_meta
getattr(build_meta, f"build_{sys.argv[1]}")(sys.argv[2])
"""


def build(kind: str, tree: Path, out: Path) -> Path:
    result = subprocess.run([sys.executable, "-c", BUILD, kind, str(out)], cwd=tree,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return next(out.glob("*"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree: building writes into it."""
    tree = tmp_path_factory.mktemp("tree")
    for name in files():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name, follow_symlinks=False)
    return tree


@pytest.fixture(scope="module")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tree, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist."""
    out, unpacked = tmp_path_factory.mktemp("sdist"), tmp_path_factory.mktemp("unpacked")
    with tarfile.open(build("sdist", tree, out)) as archive:
        archive.extractall(unpacked, filter="data")
    return next(unpacked.iterdir())


@pytest.mark.slow
def test_sdist_holds_the_product_the_pages_and_the_examples(sdist: Path) -> None:
    held = {p.relative_to(sdist).as_posix() for p in sdist.rglob("*") if p.is_file()}
    folders = {*PACKAGES, "docs", "examples", "benchmarks"}
    expected = {in_sdist(name) for name in files() if name.split("/")[0] in folders
                and not (ROOT / name).is_symlink()}
    assert expected - held == set()
    assert {name for name in held if "/" in name and "egg-info" not in name} - expected == set()
    assert {name for name in held if "/" not in name} == {
        "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md",
        "pyproject.toml", "setup.cfg", "setup.py"}


@pytest.mark.slow
def test_sdist_makes_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    other = build("wheel", sdist, tmp_path)
    assert sorted(zipfile.ZipFile(other).namelist()) == sorted(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_links_of_the_readme_work_on_a_package_index(wheel: Path) -> None:
    held = zipfile.ZipFile(wheel)
    [name] = [n for n in held.namelist() if n.endswith(".dist-info/METADATA")]
    metadata = email.message_from_bytes(held.read(name))
    assert metadata["Description-Content-Type"] == "text/markdown"
    links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload())
    assert len(links) > 20 and [link for link in links if not link.startswith("https://")] == []
    paths = [link.partition("/main/")[2].partition("#")[0] for link in links if "/main/" in link]
    assert [path for path in paths if not (ROOT / path).exists()] == []


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


@pytest.mark.slow
def test_an_editable_install_adds_the_package_alone(tree: Path, tmp_path: Path) -> None:
    """Type checkers read the path and follow no import hook."""
    with zipfile.ZipFile(build("editable", tree, tmp_path)) as wheel:
        held = [name for name in wheel.namelist() if ".dist-info/" not in name]
        assert [Path(name).suffix for name in held] == [".pth"]
        added = Path(wheel.read(held[0]).decode().strip())
    assert [p.name for p in added.iterdir() if p.suffix != ".egg-info"] == ["autograph"]
    assert (added / "autograph").resolve() == tree.resolve() / "autograph"


def in_sdist(file: str) -> str:
    """Where the sdist keeps a file: `runtime/ir/x.py` at `src/autograph/runtime/ir/x.py`."""
    folder, _, rest = file.partition("/")
    return f"src/{PACKAGES[folder].replace('.', '/')}/{rest}" if folder in PACKAGES else file


def expected(file: str) -> str:
    """Where the wheel keeps a file: `runtime/ir/graph.py` at `autograph/runtime/graph.py`."""
    if file.endswith("__init__.py"):
        return module_name(file).replace(".", "/") + "/__init__.py"
    return module_name(file).replace(".", "/") + ".py"
