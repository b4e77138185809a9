"""Printing trees: what is read back is what was printed, and the text reads well."""

import ast
import contextlib
import io
import os
import sys
import sysconfig
import tokenize
import warnings
from pathlib import Path

import gast
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograph.conversion.module import Module
from autograph.printer.comments import comments_of
from autograph.printer.original_literals import OriginalLiterals
from autograph.printer.statements import to_text

LIBRARY = sorted(p for p in Path(sysconfig.get_path("stdlib")).rglob("*.py")
                 if not {"site-packages", "lib2to3"} & set(p.parts)
                 and not p.name.startswith("bad"))

STATEMENTS = {
    "x[1:2, ::3] = y": None,
    "x[:,] = y[(i,)] + z[1:2:3,]": None,
    "x[:] = a[..., None]": None,
    "a = b = c, d = e": None,
    "(s,) = f((s,))": None,
    "x = a if b else c if d else e": None,
    "x = (a if b else c) if d else e": None,
    "x = lambda: (a, b)": None,
    "x = lambda a, /, b=1, *c, d, e=2, **f: a": None,
    "x = lambda *, a: a": None,
    "y = -x**2": None,
    "y = (-x)**2": None,
    "y = 2**-x**3": None,
    "y = (a + b) * c - d / (e - f)": None,
    "y = a - (b - c)": None,
    "y = a | b ^ c & d << e": None,
    "y = not (a and b) or c": None,
    "y = (a and b) and c": None,
    "y = a < b <= c != d": None,
    "y = (a < b) < c": None,
    "y = a in b and c not in d or e is not f": None,
    "y = await g(x)": None,
    "y = yield x": None,
    "y = [*a, *b], {**c, 'd': 1}, {1, 2}": None,
    "y = f(*a, b, k=1, **c)": None,
    "y = f((x for x in y), 1)": None,
    "y = f(x for x in y)": None,
    "y = [x for x in y if x if not x for z in (a if b else c)]": None,
    "y = f((y := 1))": None,
    "y = 1 .real + 1.5.real + 1j.imag": None,
    'y = "it\'s"': None,
    "y = '\\n\\t\\x00\\\\'": None,
    "y = 1e309": None,
    "y = u'x'": None,
    "assert (x, 'm')": None,
    "del a, b[0], c.d": None,
    "return a, b": None,
    "return (yield)": None,
    "for a, b in c, d:\n    pass\nelse:\n    pass": None,
    "with (a, b) as c, d:\n    pass": None,
    "with ((a, b)):\n    pass": None,
    "try:\n    pass\nexcept* A as e:\n    pass": None,
    "try:\n    pass\nexcept A:\n    pass\nelse:\n    pass\nfinally:\n    pass": None,
    "if a:\n    pass\nelif b:\n    pass\nelse:\n    pass": None,
    "def f(a: int, /, b: str = '', *args: *Ts, c, **k: int) -> int:\n    return a": None,
    "class A:\n    x: int\n    (y): int = 1": None,
    "class A(B, metaclass=C):\n\n    def f(self):\n        pass": None,
    "@a.b\n@c(1)\ndef f():\n    pass": None,
    "f'{x!r:>{w}} {{}} y={y!r}'": None,
    "f\"{a['b']}\"": None,
    "f\"{('a' if b else 'c')} {(lambda: 1)()}\"": "f\"{'a' if b else 'c'} {(lambda: 1)()}\"",
    "f'{ {1: 2}[1] }'": "f'{ {1: 2}[1]}'",
    "f'''{a['x']}{b[\"y\"]}'''": "f\"{a['x']}{b['y']}\"",
    "f'\\n{x}\\\\'": None,
    "match a, b:\n    case [1, *_] | {'k': -1, **r}:\n        pass":
        "match a, b:\n    case ([1, *_] | {'k': -1, **r}):\n        pass",
    "match a:\n    case A(1, x=2) as c if c:\n        pass":
        "match a:\n    case (A(1, x=2) as c) if c:\n        pass",
    "match a:\n    case None | 'x' | b.c:\n        pass\n    case _:\n        pass":
        "match a:\n    case (None | 'x' | b.c):\n        pass\n    case _:\n        pass",
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_text(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        for tree in (ast.parse(text), gast.parse(text)):
            assert to_text(tree) == (STATEMENTS[text] or text) + "\n"
        assert ast.dump(ast.parse(to_text(ast.parse(text)))) == ast.dump(ast.parse(text))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
@pytest.mark.parametrize("text", [
    "def f[T: int, *Ts, **P](a: T) -> T:\n    return a",
    "class A[T](B):\n    pass",
    "type X[T] = list[T]",
])
def test_type_parameters(text: str) -> None:
    assert to_text(ast.parse(text)) == to_text(gast.parse(text)) == text + "\n"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="syntax of Python 3.13")
def test_type_parameter_defaults() -> None:
    text = "def f[T: int = bool, *Ts = int, **P = [int]](a: T) -> T:\n    return a\n"
    assert to_text(ast.parse(text)) == text


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
@pytest.mark.parametrize("text", [
    'f"{"\\n".join(x)}"', "f'{f'{f'{1}'}'}'",
    'f"{a["b"]}{c[\'d\']}{e["""f"""]}{g[\'\'\'h\'\'\']}"'])
def test_quotes_reused_inside(text: str) -> None:
    tree = ast.parse(text)
    assert ast.dump(ast.parse(to_text(tree))) == ast.dump(tree)


def test_collatz_as_the_design_shows_it() -> None:
    text = '''\
def collatz(n):
    steps = 0

    def loop_test(n, steps):
        return n != 1

    def loop_body(n, steps):

        def if_true(n):
            return n // 2

        def if_false(n):
            return 3 * n + 1
        n = ag.cond(n % 2 == 0, if_true, if_false, n)
        steps += 1
        return n, steps
    n, steps = ag.while_loop(loop_test, loop_body, (n, steps))
    return steps
'''
    assert to_text(gast.parse(text)) == text


def test_docstrings_keep_their_lines() -> None:
    text = 'def f():\n    """One.\n\n    Two \\\\ "three\\""""\n    return 1\n'
    tree = ast.parse(text)
    assert to_text(tree) == text
    assert ast.dump(ast.parse(to_text(tree))) == ast.dump(tree)


def test_margin() -> None:
    tree = ast.parse('def f():\n    """One.\n    Two."""\n    return """a\nb"""\n')
    text = to_text(tree, margin="\t")
    wrapped = ast.parse("class A:\n" + text)
    assert ast.dump(wrapped.body[0].body[0]) == ast.dump(tree.body[0])


def read_back(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return
        text = to_text(gast.ast_to_gast(ast.parse(path.read_bytes())))
        assert ast.dump(ast.parse(text)) == ast.dump(tree)


def literals_in(text: str) -> list[str]:
    """Its numbers and its strings, in alphabetical order: keywords may move behind `*` arguments.
    """
    kinds = (tokenize.NUMBER, tokenize.STRING, getattr(tokenize, "FSTRING_START", -1),
             getattr(tokenize, "FSTRING_MIDDLE", -1))
    return sorted(t.string for t in tokenize.generate_tokens(io.StringIO(text).readline)
                  if t.type in kinds)


def spelled_as_written(path: Path) -> int:
    """Asserts that what is printed of a file has the same literals; says how many there are."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return 0
    printed = to_text(tree, literals=OriginalLiterals(tree, io.StringIO(text).readlines()))
    assert literals_in(printed) == literals_in(text)
    assert ast.dump(ast.parse(printed)) == ast.dump(tree)
    return len(literals_in(text))


@pytest.mark.slow
def test_literals_of_the_standard_library_are_spelled_as_written() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert sum(map(spelled_as_written, LIBRARY[::40])) > 5_000


@pytest.mark.parametrize("path", LIBRARY[::60], ids=lambda p: p.stem)
def test_standard_library_is_read_back(path: Path) -> None:
    read_back(path)


@pytest.mark.skipif("WHOLE_LIBRARY" not in os.environ, reason="takes minutes: set WHOLE_LIBRARY=1")
def test_whole_standard_library_is_read_back() -> None:
    for path in LIBRARY:
        read_back(path)
        spelled_as_written(path)


@given(st.lists(st.one_of(st.text(), st.sampled_from(["'", '"', "'''", '"""', "\\", "\n", "{", "}",
                                                      "\r", "\0", "é", "\N{SNOWMAN}"]))))
@settings(max_examples=200, deadline=None)
def test_strings_keep_their_value(parts: list[str]) -> None:
    value = "".join(parts).encode("utf-8", "ignore").decode()
    constant = ast.Constant(value)
    assert ast.literal_eval(to_text(ast.Expr(constant)).strip()) == value
    field = ast.FormattedValue(ast.Name("x"), -1, None)
    text = to_text(ast.Expr(ast.JoinedStr([constant, field, constant] if value else [field])))
    assert eval(text, {"x": 5}) == f"{value}5{value}"
    module = ast.parse(f"def f():\n    {ast.unparse(constant)}\n    return 1")
    assert ast.dump(ast.parse(to_text(module))) == ast.dump(module)


def printed_with_comments(source: str) -> str:
    function = ast.parse(source).body[0]
    return to_text(function, comments_of(function, source.splitlines(keepends=True)))


def test_comments_stay_with_their_statements() -> None:
    source = '''\
def f(x):  # beside the head
    """Doc."""
    # above
    y = 1  # beside
    while y < 3:  # beside a compound
        y += 1  # inner
    # above several
    # lines
    z = [
        1,  # in the middle
    ]
    s = "# no comment"
    if (y > 2 and  # first
            z):  # second
        pass
    return y
'''
    assert printed_with_comments(source) == '''\
# beside the head
def f(x):
    """Doc."""
    # above
    y = 1  # beside
    # beside a compound
    while y < 3:
        y += 1  # inner
    # above several
    # lines
    # in the middle
    z = [1]
    s = '# no comment'
    # first
    # second
    if y > 2 and z:
        pass
    return y
'''


@pytest.mark.slow
def test_every_comment_comes_out_once() -> None:
    seen = 0
    for path in LIBRARY[::25]:
        source = path.read_text(encoding="utf-8", errors="ignore")
        try:
            functions = [n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)]
        except SyntaxError:
            continue
        for function in functions:
            segment = ast.get_source_segment(source, function) or ""
            text = printed_with_comments(segment)
            assert sorted(comments_in(text)) == sorted(comments_in(segment))
            seen += len(comments_in(text))
    assert seen > 100


def comments_in(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [t.string for t in tokens if t.type == tokenize.COMMENT]


def test_text_is_the_same_on_every_python() -> None:
    """Forms that `ast.unparse` prints in another way from one version to the next."""
    for text in ("p, q = 1, 2\n", "f\"{d['z']}\"\n", "x = f'{a}' f\"{b['c']}\"\n"):
        assert to_text(ast.parse(text)) in (text, "x = f\"{a}{b['c']}\"\n")


def test_long_lines_are_broken() -> None:
    text = '''\
def f(x, y):
    total = (x.first_quantity(y, 1) + x.second_quantity(y, 2) + x.third_quantity(y, 3)
             + x.fourth_quantity(y, 4))
    first, second = some_function(x.first_quantity(y), x.second_quantity(y),
                                  key=x.third_quantity(y), reverse=x.fourth_quantity(y))
    names = [name for name in x.all_the_names_that_there_are(first, second)
             if name.startswith(y.prefix)]
    taken = filtered(x.all_the_names_that_there_are(first, second), y.prefix, key=y.third_quantity,
                     where=lambda name, value: name.startswith(value))
    first.sort_by_quantity(second)  # however long it is: a comment stays beside what is beside it
    return (x.first_quantity(first), x.second_quantity(second, total), x.third_quantity(total),
            'text, (that is not) broken')
'''
    assert printed_with_comments(text) == text


@pytest.mark.slow
def test_broken_lines_mean_the_same() -> None:
    margin, head = " " * 60, "".join(f"{'    ' * i}if {i}:\n" for i in range(15))
    broken = 0
    for path in LIBRARY[::25]:
        with contextlib.suppress(SyntaxError, UnicodeDecodeError):
            module = ast.parse(path.read_text(encoding="utf-8"))
            for function in (n for n in module.body if isinstance(n, ast.FunctionDef)):
                text = to_text(function, margin=margin)
                again = ast.parse(head + text)
                for _ in range(15):
                    again = again.body[0]  # type: ignore[attr-defined]
                assert ast.dump(again.body[0]) == ast.dump(function)  # type: ignore[attr-defined]
                broken += len(text.splitlines()) > len(to_text(function).splitlines())
    assert broken > 50


def converted(source: str) -> str:
    module = Module(source, "f.py")
    return module.convert(module.functions).text


def test_comments_of_branches_that_become_lambdas_stay_beside_them() -> None:
    assert converted('''\
import autograph as ag
def f(x):
    if x > 0:  # a test
        s = 1  # positive
    else:
        # negative
        s = [x,
             2]
    if x > 3: return s
    if x > 4: return 0
    # above
    # two lines
    return (x, s)
''') == '''\
import autograph as ag
def f(x):
    # a test
    s = ag.cond(x > 0,
                lambda: 1,  # positive
                lambda: [x, 2])  # negative
    # above
    # two lines
    return ag.cond(x > 3, lambda: s, lambda: ag.cond(x > 4, lambda: 0, lambda: (x, s)))
'''


@pytest.mark.slow
def test_every_comment_of_a_converted_file_comes_out_once() -> None:
    for path in LIBRARY[::60]:
        source = path.read_text(encoding="utf-8", errors="ignore")
        assert sorted(comments_in(converted(source))) == sorted(comments_in(source)), path
