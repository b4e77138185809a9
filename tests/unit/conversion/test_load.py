"""What a converted function keeps of the user's: lines, cells, globals, defaults, attributes."""

import bdb
import functools
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import traceback
import weakref
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import autograph as ag
from tests.support.program_files import program, write

PROGRAM = """
    import autograph as ag

    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    def fails(x):
        while x > 0:
            if x == 1:
                y = 1 / (x - 1)
            x -= 1
        return x
    """


def line_of(path: str, text: str) -> int:
    """The number of the first line of a file that holds a text."""
    lines = Path(path).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


class Stops(bdb.Bdb):
    """A debugger that notes the variables at a breakpoint and goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, int, dict[str, object]]] = []

    def user_line(self, frame: FrameType) -> None:
        if self.break_here(frame):
            self.seen.append((frame.f_code.co_qualname, frame.f_lineno, dict(frame.f_locals)))
        self.set_continue()


def test_breakpoint_inside_a_converted_loop(tmp_path: Path) -> None:
    module = program(tmp_path, PROGRAM)
    path, converted = module.__file__ or "", ag.convert(module.collatz)
    debugger = Stops()
    branch, body = line_of(path, "n = 3 * n + 1"), line_of(path, "steps += 1")
    assert debugger.set_break(path, branch) is None
    assert debugger.set_break(path, body) is None
    assert debugger.runcall(converted, 3) == 7
    assert [values["steps"] for _, line, values in debugger.seen if line == body] == list(range(7))
    assert [values["n"] for _, line, values in debugger.seen if line == branch] == [3, 5]
    assert {name for name, _, _ in debugger.seen} == {"collatz"}


def test_blocks_have_the_names_of_the_users_function() -> None:
    def plain(x):
        made = []
        for i in x:
            if i > 0:
                def inner(i=i):
                    return i
                made += [inner, lambda i=i: i, inner.late]
        return made

    def names(run):
        with pytest.raises(AttributeError) as caught:
            run(np.ones(2))
        return [entry.name for entry in caught.traceback[1:]], str(caught.value)

    traced = ag.function(plain)
    frames, said = names(ag.convert(plain))
    assert set(frames) == {"plain"} and said == names(plain)[1] == names(traced)[1]
    assert set(names(traced)[0]) == {"plain"}


def test_traceback_names_the_users_line_with_a_caret(tmp_path: Path) -> None:
    module = program(tmp_path, PROGRAM)
    try:
        ag.convert(module.fails)(3)
    except ZeroDivisionError:
        text = traceback.format_exc()
    path = module.__file__ or ""
    lines = text.splitlines()
    at = lines.index(next(line for line in lines if f'"{path}", line '
                          f'{line_of(path, "1 / (x - 1)")}' in line))
    assert lines[at + 1].strip() == "y = 1 / (x - 1)"
    assert lines[at + 2].strip() == "~~^~~~~~~~~"
    assert "autograph_factory" not in text


def test_lines_that_a_tracer_sees_are_the_users(tmp_path: Path) -> None:
    """What coverage counts: the same lines for the plain and for the converted function."""
    module = program(tmp_path, PROGRAM)

    def lines_of(f: object) -> set[int]:
        seen: set[int] = set()

        def tracer(frame: FrameType, event: str, _: object) -> object:
            if frame.f_code.co_filename != module.__file__:
                return None
            if event == "line":
                seen.add(frame.f_lineno)
            return tracer
        sys.settrace(tracer)
        try:
            f(27)  # type: ignore[operator]
        finally:
            sys.settrace(None)
        return seen
    path = module.__file__ or ""
    # `else:` is no line; a `while` head that ends the loop is one in both.
    assert lines_of(ag.convert(module.collatz)) == lines_of(module.collatz)
    assert line_of(path, "n = n // 2") in lines_of(ag.convert(module.collatz))


def test_what_is_kept() -> None:
    default: list[int] = []

    def f(a: "int", b=default, *, c=default) -> "str":
        """Says what it is."""
        return a and b is c
    f.note = "mine"  # type: ignore[attr-defined]
    g = ag.convert(f)
    assert g is not f
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__",
                 "__kwdefaults__", "__annotations__", "__globals__", "note"):
        assert getattr(g, name) is getattr(f, name) or getattr(g, name) == getattr(f, name), name
    assert g.__globals__ is f.__globals__ and g.__defaults__[0] is default
    assert inspect.signature(g) == inspect.signature(f)
    assert inspect.getsource(g) == inspect.getsource(f)
    code, old = g.__code__, f.__code__
    assert (code.co_filename, code.co_firstlineno, code.co_qualname) == (
        old.co_filename, old.co_firstlineno, old.co_qualname)
    assert g(1) is True


def test_first_line_is_the_decorators() -> None:
    def plain(f):
        return f

    @plain
    @plain
    def f(x):
        return x and 1
    assert ag.convert(f).__code__.co_firstlineno == f.__code__.co_firstlineno


def test_annotations_and_defaults_are_not_evaluated_again() -> None:
    seen = []

    def note(x):
        seen.append(x)
        return x

    def f(x: note("annotation") = note("default")) -> note("result"):  # noqa: B008  # the point
        return x and 1
    assert seen == ["default", "annotation", "result"]
    ag.convert(f)()
    assert len(seen) == 3


def test_cells_are_shared() -> None:
    count = 0

    def increase(by):
        nonlocal count
        if by > 0:
            count += by
        return count
    converted = ag.convert(increase)
    assert converted(2) == 2 and count == 2
    count = 10
    assert converted(1) == 11 and increase(1) == 12 and count == 12


def test_cell_filled_after_conversion() -> None:
    @ag.convert
    def is_even(n):
        return n == 0 or is_odd(n - 1)

    @ag.convert
    def is_odd(n):
        return n != 0 and is_even(n - 1)
    assert [is_even(n) for n in range(4)] == [True, False, True, False]


def test_globals_are_the_users(tmp_path: Path) -> None:
    module = program(tmp_path, """
        count = 0
        def f(x):
            global count
            if x:
                count += 1
            return globals()
        """)
    before = set(vars(module))
    assert ag.convert(module.f)(1) is vars(module)
    assert module.count == 1 and set(vars(module)) == before


def test_recursion_by_global_name(tmp_path: Path) -> None:
    module = program(tmp_path, """
        def fact(n):
            return n * fact(n - 1) if n > 1 else 1
        class A:
            def fact(self, n):
                return fact(n) if n else self
        def __private(n):
            return n and __private(n - 1)
        """)
    assert ag.convert(module.fact)(5) == 120 and ag.convert(module.A().fact)(4) == 24
    assert ag.convert(getattr(module, "__private"))(3) == 0
    assert ag.convert(module.fact).__code__.co_qualname == "fact"


def test_user_has_other_plans_for_the_name_ag(tmp_path: Path) -> None:
    module = program(tmp_path, """
        ag = "silver is Ag"
        def reads(x):
            return ag if x else None
        def takes(ag):
            return ag and 1
        def binds(x):
            ag = x
            while ag < 3:
                ag += 1
            return ag
        def outer(ag):
            def inner(x):
                return ag if x else x
            return inner
        """)
    assert ag.convert(module.reads)(1) == "silver is Ag"
    assert ag.convert(module.takes)(2) == 1
    assert ag.convert(module.binds)(0) == 3
    assert ag.convert(module.outer)(5)(1) == 5 and ag.convert(module.outer(6))(1) == 6
    assert "ag_1.cond" in ag.to_code(module.reads)


def test_user_calls_operators_by_hand() -> None:
    def f(x):
        y = ag.cond(x > 0, lambda: 1, lambda: 2)
        return y if y else 0
    assert "ag_1" not in ag.to_code(f) and ag.convert(f)(1) == 1


def test_classes(tmp_path: Path) -> None:
    module = program(tmp_path, """
        class Base:
            def name(self, x):
                return "base" if x else "none"
        class Derived(Base):
            __secret = 5
            def name(self, x):
                if x:
                    return "derived " + super().name(x)
                return __class__.__name__
            def secret(self, x):
                return x and self.__secret
            @classmethod
            def made(cls, x):
                return cls.__name__ if x else None
            @staticmethod
            def free(x):
                return not x
            @property
            def size(self):
                return 1 if self else 0
        """)
    d = module.Derived()
    assert ag.convert(d.name)(1) == "derived base" and ag.convert(d.name)(0) == "Derived"
    assert ag.convert(d.secret)(1) == 5
    assert ag.convert(module.Derived.made)(1) == "Derived" and ag.convert(d.free)(0) is True
    assert ag.convert(module.Derived.name)(d, 1) == "derived base"


def test_decorators_in_a_class_body(tmp_path: Path) -> None:
    module = program(tmp_path, """
        import autograph as ag
        class A:
            @ag.convert
            def plain(self, x):
                return x and super().__repr__()[:2]
            @staticmethod
            @ag.convert
            def inner(x):
                return x and 1
            @ag.convert
            @staticmethod
            def outer(x):
                return x and 2
            @ag.convert
            @classmethod
            def cls(cls, x):
                return x and cls
        """)
    a = module.A()
    assert (a.plain(1), a.inner(1), a.outer(1), a.cls(1)) == ("<t", 1, 2, module.A) or (
        a.plain(1)[0] == "<")
    assert (a.inner(1), a.outer(1), a.cls(1)) == (1, 2, module.A)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="PEP 695 came with Python 3.12")
def test_type_parameters(tmp_path: Path) -> None:
    module = program(tmp_path, """
        def first[T: int](xs: list[T], default: T) -> T:
            if xs:
                y: T = xs[0]
                return y
            return T if default else default
        """)
    converted = ag.convert(module.first)
    assert converted([3], 1) == 3
    assert converted.__type_params__ == module.first.__type_params__
    assert converted([], 1) is module.first.__type_params__[0]


def test_converted_function_is_pickled_by_name(tmp_path: Path) -> None:
    module = program(tmp_path, """
        import autograph as ag
        @ag.convert
        def f(x):
            return x and 1
        """)
    assert pickle.loads(pickle.dumps(module.f)) is module.f


def test_threads_convert_at_once(tmp_path: Path) -> None:
    source = "\n".join(f"def f{i}(x):\n    return x and f{(i + 1) % 30}(x - 1)\n"
                       for i in range(30))
    module = program(tmp_path, source)
    start, results = threading.Barrier(8), []

    def work(first: int) -> None:
        start.wait()
        results.append([ag.convert(getattr(module, f"f{(first + i) % 30}"))(40)
                        for i in range(30)])
    threads = [threading.Thread(target=work, args=(i * 4,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [[0] * 30] * 8
    assert len({id(ag.convert(module.f0)) for _ in range(3)}) == 1


def test_functions_and_their_twins_are_freed() -> None:
    def make(big):
        def recursive(n):
            return n and recursive(n - 1) and big
        return recursive

    class Big:
        pass
    alive = []
    for _ in range(3):
        big = Big()
        f = make(big)
        assert ag.convert(f)(3) == 0
        assert ag.convert(f) is ag.convert(f)
        alive.append(weakref.ref(big))
        del f, big
    gc.collect()
    assert [ref() for ref in alive] == [None] * 3


def test_wrapper_does_not_inherit_the_twin_of_what_it_wraps() -> None:
    k = 1

    def inner(x):
        return x and k
    assert ag.convert(inner)(5) == 1

    @functools.wraps(inner)
    def wrapper(x):
        return (inner(x), k) if x else None
    assert ag.convert(wrapper)(5) == (1, 1)


def test_no_files_are_written(tmp_path: Path) -> None:
    path = write(tmp_path, """
        import autograph as ag, os, sys, tempfile
        convert = ag.convert
        before = set(os.listdir(tempfile.gettempdir())), set(sys.modules)
        @convert
        def f(x):
            while x > 0:
                x -= 1
            return x
        f(3)
        print(before == (set(os.listdir(tempfile.gettempdir())), set(sys.modules)))
        """)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(Path.cwd()), "TMPDIR": str(tmp_path)})
    assert done.stdout.strip() == "True"


def test_what_stays_as_it_was_written_is_the_code_of_the_file() -> None:
    def f(x: float) -> object:
        def items() -> object:
            yield np.square(x)
        return items

    assert ag.convert(f)(2.0).__code__ in f.__code__.co_consts
