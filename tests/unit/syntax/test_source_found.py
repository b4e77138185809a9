"""A function is found by its position, wherever its code came from, or refused; never another's."""

from __future__ import annotations

import compileall
import linecache
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import autograph as ag
from autograph.syntax.errors import SourceUnavailableError, UnsupportedFunctionError
from tests.support.program_files import load, program, write

SOURCE = "def f(x):\n    if x > 0:\n        return 'positive'\n    return 'negative'\n"
FUNCTION = "    def f(x):\n        return x and {}\n"


def started(*command: str, text: str = "", folder: Path | None = None) -> str:
    """What another Python prints."""
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "PYTHON_BASIC_REPL": "1"}
    done = subprocess.run([sys.executable, "-q", *command], input=text, capture_output=True,
                          text=True, check=False, cwd=folder, env=environment)
    return done.stdout + done.stderr


# -- typed -----------------------------------------------------------------------------------------

def test_prompt() -> None:
    """What is typed at the prompt is kept from Python 3.13 on; before, it is refused."""
    typed = (f"import autograph as ag\n{SOURCE}\ng = f\n{SOURCE.replace('x > 0', 'x > 9')}\n"
             "try: print([ag.convert(h)(5) for h in (f, g)])\n"
             "except ag.ConversionError as error: print(error.code, error.message)\n\n")
    said = started("-i", text=typed)
    assert ("['negative', 'positive']" in said) or (
        "AG101" in said and "made from a string" in said), said


def test_command_line() -> None:
    said = started("-c", f"import autograph as ag\n{SOURCE}\n"
                   "try: print(ag.convert(f)(1))\n"
                   "except ag.ConversionError as error: print(error.code, error.message)\n")
    assert "positive" in said or ("AG101" in said and "made from a string" in said), said


def cell(number: int, text: str, scope: dict[str, Any], name: str = "") -> str:
    """Run a cell as IPython does, which keeps the text in linecache under a name of its own."""
    name = name or f"ipykernel_4711/{number}.py"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), scope)
    return name


def test_cells_of_a_notebook() -> None:
    scope: dict[str, Any] = {"ag": ag}
    cell(1, "def f(x):\n    return x and 1\n", scope)
    first = scope["f"]
    cell(2, "def f(x):\n    return x and 2\ng = lambda x: x and 3; h = lambda x: x and 4\n", scope)
    made = [ag.convert(f)(True) for f in (first, scope["f"], scope["g"], scope["h"])]
    assert made == [1, 2, 3, 4]


def test_cell_that_replaced_another_under_its_name() -> None:
    scope: dict[str, Any] = {}
    name = cell(3, "def f(x):\n    return x and 1\n", scope)
    old = scope["f"]
    cell(3, "def f(x):\n    return x and 2\n", scope, name)
    assert ag.convert(scope["f"])(True) == 2
    with pytest.raises(SourceUnavailableError):
        ag.convert(old)


def test_magic_lines_of_a_cell() -> None:
    """IPython keeps the text as it was compiled, magics translated."""
    scope: dict[str, Any] = {"get_ipython": lambda: None}
    cell(4, "get_ipython()\ndef f(x):\n    return x and 5\n", scope)
    assert ag.convert(scope["f"])(True) == 5


# -- made by code ----------------------------------------------------------------------------------

def made(text: str, filename: str) -> FunctionType:
    scope: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), scope)
    function = next(v for v in scope.values() if isinstance(v, FunctionType))
    return function


@pytest.mark.parametrize("filename", ["<string>", "<stdin>", "<generated>", "no_such_file.py"])
def test_exec(filename: str) -> None:
    with pytest.raises(SourceUnavailableError) as caught:
        ag.convert(made("def f(x):\n    return x and 1\n", filename))
    assert caught.value.hint and filename in str(caught.value)


def test_exec_under_the_name_of_a_file(tmp_path: Path) -> None:
    """The file has a function of that name on that line, and it is another."""
    path = write(tmp_path, "def f(x):\n    return x and 1\n")
    with pytest.raises(SourceUnavailableError, match="not what is running"):
        ag.convert(made("def f(x):\n    return x and 2\n", str(path)))
    assert ag.convert(made("def f(x):\n    return x and 1\n", str(path)))(True) == 1


def test_text_that_another_exec_left_in_linecache() -> None:
    text = "def f(x):\n    return x and 'other'\n"
    linecache.cache["<made>"] = len(text), None, text.splitlines(keepends=True), "<made>"
    with pytest.raises(SourceUnavailableError, match="that Python does not keep"):
        ag.convert(made("def f(x):\n    return x and 'mine'\n", "<made>"))


def test_code_that_was_changed(tmp_path: Path) -> None:
    f = program(tmp_path, "def f(x):\n    return x and 1\n").f
    f.__code__ = f.__code__.replace(co_consts=tuple(
        2 if c == 1 else c for c in f.__code__.co_consts))
    assert f(True) in (1, 2)
    if f(True) == 2:
        with pytest.raises(SourceUnavailableError):
            ag.convert(f)


def test_eval_of_a_lambda() -> None:
    with pytest.raises(SourceUnavailableError):
        ag.convert(eval("lambda x: x and 1"))


# -- lambdas ---------------------------------------------------------------------------------------

LAMBDAS = """
    import functools
    pair = lambda x: x and 1, lambda x: x and 2
    table = {"a": lambda x: x and 3, "b": lambda x: x and 4}
    made = [lambda x, k=k: x and k for k in (5, 6)]
    nested = (lambda: (lambda x: x and 7, lambda x: x and 8))()
    def default(x, f=lambda x: x and 9, g=lambda x: x and 10):
        return f, g
    f, g = default(0)
    chosen = (lambda x: x and 11) if pair else (lambda x: x and 12)
    other = (lambda x: x and 11) if not pair else (lambda x: x and 12)
    called = functools.partial(lambda a, x: x and a, 13)
    over_lines = [lambda x: (
        x and 14), lambda x: (
        x and 15)]
    class A:
        first, second = lambda self, x: x and 16, lambda self, x: x and 17
    methods = A().first, A().second
    found = [*pair, *table.values(), *made, *nested, f, g, chosen, other, called, *over_lines,
             *methods]
    """


def test_lambdas(tmp_path: Path) -> None:
    found = program(tmp_path, LAMBDAS).found
    assert [ag.convert(f)(True) for f in found] == list(range(1, len(found) + 1))
    assert [ag.convert(f)(0) for f in found] == [0] * len(found)


def test_lambda_in_an_fstring(tmp_path: Path) -> None:
    """Before Python 3.12 the places inside an f-string are not those of the file."""
    module = program(tmp_path, """
        found = []
        text = f"{found.append(lambda x: x and 1)}{found.append(lambda x: x and 2)}"
        """)
    for f, expected in zip(module.found, (1, 2), strict=True):
        try:
            assert ag.convert(f)(True) == expected
        except SourceUnavailableError:
            assert sys.version_info < (3, 12)


# -- wrapped ---------------------------------------------------------------------------------------

WRAPPED = """
    import functools

    def loud(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return (f(*args, **kwargs) and 1), wrapper.__name__
        return wrapper

    def quiet(f):
        def inner(x):
            return f(x) or "quiet"
        return inner

    @loud
    def one(x):
        return x and 1

    @loud
    @quiet
    def two(x):
        return x and 2

    def power(base, exponent):
        return base ** exponent if exponent > 0 else 0

    square = functools.partial(power, exponent=2)
    none = functools.partial(functools.partial(power, 3), 0)

    class A:
        @property
        def value(self):
            return self.x and "value"
        @staticmethod
        def still(x):
            return x and "still"
        @classmethod
        def of(cls, x):
            return x and cls.__name__
        twice = functools.partialmethod(lambda self, n, x: x and n * 2, 4)
        x = 1

    @functools.singledispatch
    def kind(x):
        return x and "other"

    @kind.register
    def _(x: int):
        return x and "int"

    @kind.register
    def _(x: str):
        return x and "str"

    @functools.lru_cache
    def cached(x):
        return x and 1
    """


@pytest.mark.parametrize(("call", "expected"), [
    (lambda m: ag.convert(m.one)(True), (1, "one")),
    (lambda m: ag.convert(m.two)(0), (1, "inner")),
    (lambda m: ag.convert(m.one.__wrapped__)(True), 1),
    (lambda m: ag.convert(m.square)(3), 9),
    (lambda m: ag.convert(m.none)(), 0),
    (lambda m: ag.convert(lambda a: a.value)(m.A()), "value"),
    (lambda m: ag.convert(m.A.still)(1), "still"),
    (lambda m: ag.convert(m.A.of)(1), "A"),
    (lambda m: ag.convert(m.A().twice)(1), 8),
    (lambda m: [ag.convert(m.kind)(v) for v in (1, "s", 2.0)], ["int", "str", "other"]),
    (lambda m: [ag.convert(m.kind.dispatch(t))(1) for t in (int, str, float)],
     ["int", "str", "other"]),
], ids=["wraps", "two wrappers", "wrapped", "partial", "partial of partial", "property",
        "static method", "class method", "partial method", "single dispatch", "registered"])
def test_wrapped(tmp_path: Path, call: Callable[[Any], object], expected: object) -> None:
    assert call(program(tmp_path, WRAPPED)) == expected


def test_cached_function_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFunctionError, match="lru_cache"):
        ag.convert(program(tmp_path, WRAPPED).cached)


def test_wraps_does_not_lead_to_another_function(tmp_path: Path) -> None:
    """`__wrapped__` is what a decorator says; the code is what runs."""
    module = program(tmp_path, """
        import functools
        def right(x):
            return x and "right"
        def wrong(x):
            return x and "wrong"
        functools.update_wrapper(right, wrong)
        """)
    assert ag.convert(module.right)(1) == "right" == module.right(1)
    assert '"right"' in ag.to_code(module.right)


# -- modules without a file ------------------------------------------------------------------------

ASK = ("import autograph as ag, {0}\n"
       "try: print(ag.convert({0}.f)(1))\n"
       "except ag.ConversionError as error: print(error.code, error.message)\n")


def test_module_without_its_source(tmp_path: Path) -> None:
    path = write(tmp_path, SOURCE, "compiled_only")
    assert compileall.compile_file(path, legacy=True, quiet=1)
    path.unlink()
    said = started("-c", ASK.format("compiled_only"), folder=tmp_path)
    assert "AG101 there is no source for 'f'" in said and "does not exist" in said


def test_module_in_a_zip_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("zipped.py", SOURCE)
    said = started("-c", "import sys; sys.path.insert(0, 'all.zip')\n" + ASK.format("zipped"),
                   folder=tmp_path)
    assert said.strip() == "positive"


def test_module_in_a_zip_file_without_its_source(tmp_path: Path) -> None:
    path = write(tmp_path, SOURCE, "zipped")
    assert compileall.compile_file(path, legacy=True, quiet=1)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(path.with_suffix(".pyc"), "zipped.pyc")
    path.unlink()
    path.with_suffix(".pyc").unlink()
    said = started("-c", "import sys; sys.path.insert(0, 'all.zip')\n" + ASK.format("zipped"),
                   folder=tmp_path)
    assert "AG101 there is no source for 'f'" in said


# -- edited ----------------------------------------------------------------------------------------

def test_edited_twice_and_loaded_again(tmp_path: Path) -> None:
    """Each time the function that runs, or none: also with the old length and the old time."""
    path = write(tmp_path, "def f(x):\n    return x and 1\n")
    old = load(path).f
    time = os.stat(path).st_mtime_ns
    path.write_text("def f(x):\n    return x and 2\n")
    os.utime(path, ns=(time, time))
    linecache.cache.pop(str(path), None)
    with pytest.raises(SourceUnavailableError, match="changed after it was imported"):
        ag.convert(old)
    path.write_text("def f(x):\n    return x and 1\n")
    linecache.cache.pop(str(path), None)
    assert ag.convert(old)(True) == 1


def test_edited_so_that_another_function_stands_there(tmp_path: Path) -> None:
    module = program(tmp_path, "def f(x):\n    return x and 1\n\n\ndef g(x):\n    return x and 2\n")
    path = Path(module.__file__ or "")
    path.write_text("def g(x):\n    return x and 2\n\n\ndef f(x):\n    return x and 1\n")
    linecache.cache.pop(str(path), None)
    for name in ("f", "g"):
        with pytest.raises(SourceUnavailableError):
            ag.convert(getattr(module, name))


def test_comments_and_blank_lines_do_not_count(tmp_path: Path) -> None:
    """The code is the same, on the same lines: only what nobody runs was changed."""
    module = program(tmp_path, "def f(x):\n    return x and 1  # one\n# end\n")
    path = Path(module.__file__ or "")
    path.write_text("def f(x):\n    return x and 1  # two\n# the end of it\n")
    linecache.cache.pop(str(path), None)
    assert ag.convert(module.f)(True) == 1


def test_decorated_at_conversion(tmp_path: Path) -> None:
    module = program(tmp_path, """
        import autograph as ag

        def keep(f):
            return f

        @keep
        @ag.convert
        @keep
        def f(x):
            return x and 1

        @ag.function
        @keep
        def g(x):
            return x and 2
        """)
    assert (module.f(True), module.g(True)) == (1, 2)
