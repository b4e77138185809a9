"""Finding the source of live functions: the right one, or a clear refusal."""

import __future__

import dis
import functools
import linecache
import subprocess
import sys
from pathlib import Path

import pytest

import autograph as ag
from autograph.syntax.errors import (
    SourceSyntaxError,
    SourceUnavailableError,
    UnsupportedSyntaxError,
)
from autograph.syntax.source import FUTURE, MAX_FILES, _files, find
from tests.support.program_files import load, program, write


def test_lambdas_on_one_line() -> None:
    first, second, third = (lambda x: x and 1), (lambda x: x or 2), (lambda x: not x)
    assert [ag.convert(f)(0) for f in (first, second, third)] == [0, 2, True]
    assert [ag.to_code(f) for f in (first, second)] == [
        "lambda x: ag.and_(x, lambda: 1)\n", "lambda x: ag.or_(x, lambda: 2)\n"]


def test_lambda_inside_a_lambda() -> None:
    outer = lambda x: (lambda y: y and x)
    assert ag.to_code(outer(3)) == "lambda y: ag.and_(y, lambda: x)\n"
    assert ag.convert(outer(3))(1) == 3
    assert ag.convert(ag.convert(outer)(4))(1) == 4


def test_lambda_over_several_lines_and_in_a_default() -> None:
    def call(f=lambda x: (x
                          and 5)):
        return f
    assert ag.convert(call())(1) == 5


def test_identical_lambdas_on_one_line() -> None:
    fs = [lambda x: x and 1, lambda x: x and 1]
    assert [ag.convert(f)(1) for f in fs] == [1, 1]


def test_lambdas_of_constants_on_one_line() -> None:
    fs = [lambda: 1, lambda: None, lambda x: 2, lambda y: 2, lambda: True, lambda *y: 2, lambda: 1.]
    assert [ag.to_code(f) for f in fs] == [
        "lambda: 1\n", "lambda: None\n", "lambda x: 2\n", "lambda y: 2\n", "lambda: True\n",
        "lambda *y: 2\n", "lambda: 1.\n"]
    inner, other = (lambda: (lambda: 3))(), (lambda x=(lambda: 4): x)()
    assert [ag.to_code(f) for f in (inner, other)] == ["lambda: 3\n", "lambda: 4\n"]


def test_lambdas_of_constants_in_a_class() -> None:
    class Box:
        fs = [lambda __x: 1, lambda __y: 1, lambda __x: 2]
    assert [ag.convert(f)(0) for f in Box.fs] == [1, 1, 2]
    assert "__y: 1" in ag.to_code(Box.fs[1])


def test_lambdas_cannot_be_told_apart_without_columns(tmp_path: Path) -> None:
    path = write(tmp_path, """
        import autograph as ag
        from autograph.errors import SourceUnavailableError
        fs = [lambda x: x and 1, lambda x: x or 2]
        try:
            ag.convert(fs[0])
        except SourceUnavailableError as error:
            assert "line of its own" in error.hint
            print("refused")
        one = lambda x: x and 3
        print(ag.convert(one)(1))
        """)
    command = [sys.executable, "-X", "no_debug_ranges", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path.cwd(),
                          env={"PYTHONPATH": str(Path.cwd())})
    assert done.stdout.split() == ["refused", "3"]


def test_decorated_function() -> None:
    def twice(f):
        @functools.wraps(f)
        def wrapper(x):
            return f(f(x))
        return wrapper

    @functools.partial(twice)
    @twice
    def halve(n):
        if n % 2 == 0:
            n = n // 2
        return n
    original = halve.__wrapped__.__wrapped__
    assert find(original).tree.name == "halve"
    assert ag.convert(halve)(32) == 2
    assert ag.convert(original)(32) == 16


def test_same_names_in_one_file(tmp_path: Path) -> None:
    module = program(tmp_path, """
        def f(x):
            return x and 1
        first = f
        def f(x):
            return x or 2
        class A:
            def f(self, x):
                return x and 3
        """)
    assert ag.convert(module.first)(1) == 1
    assert ag.convert(module.f)(0) == 2
    assert ag.convert(module.A().f)(1) == 3


def test_class_name_and_free_names() -> None:
    k = 1

    class A:
        def f(self):
            return lambda: k + self.__x  # type: ignore[attr-defined]
    source = find(A.f)
    assert (source.class_name, source.free_names) == ("A", ("k",))


EDITED = """
    def f(x):
        if x > 0:
            return 1
        return 2
    def g(x):
        return x
    """


@pytest.mark.parametrize("edit", [
    ("return 1", "return 10"),
    ("x > 0", "x >= 0"),
    ("def f(x)", "def f(y, x)"),
    ("def f(x)", "# a line more\ndef f(x)"),
    ("def f(x)", "def h(x)"),
    ("    if x > 0:\n        return 1\n", ""),
])
def test_edited_file_is_refused(tmp_path: Path, edit: tuple[str, str]) -> None:
    module = program(tmp_path, EDITED)
    path = Path(module.__file__ or "")
    text = path.read_text()
    assert edit[0] in text
    path.write_text(text.replace(*edit) + "# so that the size differs\n")
    with pytest.raises(SourceUnavailableError, match="changed after it was imported") as caught:
        ag.convert(module.f)
    assert caught.value.span is not None and caught.value.span.filename == str(path)


def test_edit_elsewhere_in_the_file_is_no_matter(tmp_path: Path) -> None:
    module = program(tmp_path, EDITED)
    path = Path(module.__file__ or "")
    path.write_text(path.read_text().replace("return x\n", "return x + 1\n"))
    assert ag.convert(module.f)(1) == 1


def test_reloaded_module_is_converted_anew(tmp_path: Path) -> None:
    path = write(tmp_path, "def f(x):\n    return x and 1\n")
    assert ag.convert(load(path).f)(1) == 1
    path.write_text("def f(x):\n    return x and 'a longer one'\n")
    assert ag.convert(load(path).f)(1) == "a longer one"


def test_source_in_linecache_as_notebooks_keep_it() -> None:
    text = "def f(x):\n    return x and 7\n"
    name = "<ipython-input-1-0123456789ab>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, object] = {}
    exec(compile(text, name, "exec"), scope)
    assert ag.convert(scope["f"])(1) == 7


def test_inherited_future_flags() -> None:
    text = "def f(x: undefined_name):\n    y: other = x and 7\n    return y\n"
    name = "<ipython-input-2-0123456789ab>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, object] = {}
    exec(compile(text, name, "exec", __future__.annotations.compiler_flag), scope)
    assert ag.convert(scope["f"])(1) == 7


def test_future_mask_has_every_feature() -> None:
    flags = [getattr(__future__, n).compiler_flag for n in __future__.all_feature_names]
    assert sum(flag & FUTURE for flag in flags) == sum(flags) - 0x10  # nested scopes: always on


@pytest.mark.parametrize("source", ["def f(x):\n    return x and 1\n", "f = lambda x: x and 1\n"])
def test_no_source(source: str) -> None:
    scope: dict[str, object] = {}
    exec(source, scope)
    with pytest.raises(SourceUnavailableError, match="made from a string") as caught:
        ag.convert(scope["f"])
    assert "do_not_convert" in caught.value.hint


def test_file_that_is_gone(tmp_path: Path) -> None:
    module = program(tmp_path, "def f(x):\n    return x and 1\n")
    path = Path(module.__file__ or "")
    path.unlink()
    linecache.checkcache(str(path))
    with pytest.raises(SourceUnavailableError, match="does not exist"):
        ag.convert(module.f)


def test_file_that_no_longer_parses(tmp_path: Path) -> None:
    module = program(tmp_path, "def f(x):\n    return x and 1\n")
    Path(module.__file__ or "").write_text("def f(x:\n    return x and 1\n")
    with pytest.raises(SourceSyntaxError) as caught:
        ag.convert(module.f)
    assert "^" in str(caught.value) and caught.value.span is not None
    assert caught.value.span.lineno == 1


def test_import_hook_that_rewrites(tmp_path: Path) -> None:
    """pytest rewrites the `assert`s of this very file; the source still is the user's."""
    def positive(x):
        assert x > 0, "not positive"
        return x and 1
    assert ag.convert(positive)(2) == 1
    with pytest.raises(AssertionError, match="not positive"):
        ag.convert(positive)(-1)


def test_code_of_modules_that_import_what_they_call(tmp_path: Path) -> None:
    """Python compiles `os.getcwd()` in another way if `os` is imported at the top."""
    module = program(tmp_path, """
        import functools
        if True:
            import os
        try:
            import math as m
        except ImportError:
            m = None
        def f(x):
            return x and functools.reduce(max, [m.sqrt(4.0), len(os.getcwd()) * 0])
        """)
    assert ag.convert(module.f)(1) == 2.0


def converted_or_refused(path: Path, source: str) -> object:
    """The converted `f` of a deep program, or None if it is refused as too deep."""
    before = sys.getrecursionlimit()
    try:
        f = program(path, source).f
    except RecursionError:
        return None  # too deep for this Python itself
    try:
        return ag.convert(f)
    except UnsupportedSyntaxError as error:
        assert "nested too deeply" in str(error) and error.hint
        return None
    finally:
        assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("arms", [80, 300])
def test_long_chains(tmp_path: Path, arms: int) -> None:
    text = "".join(f"    elif x == {i}:\n        return {i}\n" for i in range(1, arms))
    head = "def f(x):\n    if x == 0:\n        return 0\n"
    f = converted_or_refused(tmp_path, f"{head}{text}    return -1\n")
    assert f(arms - 1) == arms - 1 if f else arms > 80


@pytest.mark.parametrize("terms", [500, 2000, 6000])
def test_long_sums(tmp_path: Path, terms: int) -> None:
    f = converted_or_refused(tmp_path, f"def f(x):\n    return x and {' + '.join(['x'] * terms)}\n")
    assert f(1) == terms if f else terms > 500


def test_files_are_forgotten_in_the_end(tmp_path: Path) -> None:
    for i in range(MAX_FILES + 3):
        ag.convert(program(tmp_path, f"def f(x):\n    return x and {i}\n").f)
    assert len(_files) == MAX_FILES


def test_doctest_and_interactive(tmp_path: Path) -> None:
    path = write(tmp_path, '''
        """
        >>> import autograph as ag
        >>> def f(x):
        ...     if x > 0:
        ...         return "positive"
        ...     return "negative"
        >>> ag.convert(f)(1)
        'positive'
        """
        ''')
    done = subprocess.run([sys.executable, "-m", "doctest", str(path)], capture_output=True,
                          text=True, env={"PYTHONPATH": str(Path.cwd())}, check=False)
    assert done.returncode == 0, done.stdout


def test_error_has_file_line_and_way_out() -> None:
    scope: dict[str, object] = {}
    exec("\n\ndef f(x): return x", scope)
    with pytest.raises(SourceUnavailableError) as caught:
        ag.convert(scope["f"])
    text = str(caught.value)
    assert text.startswith("<string>:3:1: AG101 ") and "hint: " in text


def test_instructions_that_do_nothing_at_the_end_change_nothing() -> None:
    """A line profiler makes functions different by them."""
    def padded(x):
        return x + 1 if x > 0 else x

    code = padded.__code__
    padded.__code__ = code.replace(co_code=code.co_code + bytes([dis.opmap["NOP"], 0]) * 3)
    assert ag.convert(padded)(2) == 3
