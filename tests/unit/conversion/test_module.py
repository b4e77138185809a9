"""Converting whole files: which functions, what becomes of the text, and that the result runs."""

import difflib
import itertools
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from autograph.conversion.module import Module
from autograph.syntax.decorator_detection import Decorators
from autograph.syntax.errors import SourceSyntaxError, UnsupportedFunctionError
from tests.support.program_files import program

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.py"))


def module_of(text: str) -> Module:
    return Module(textwrap.dedent(text).lstrip("\n"), "f.py")


def converted(text: str) -> str:
    module = module_of(text)
    result = module.convert(module.marked())
    assert [o.error for o in result.outcomes if o.error] == []
    return result.text


def test_marked_function_and_what_it_calls() -> None:
    text = """
        import autograph as ag

        def helper(x):
            return x and deeper(x)

        def deeper(x):
            return not x

        def other(x):
            return not x

        @ag.function
        def f(x):
            return helper(x) or unknown(x)
        """
    assert [f.qualname for f in module_of(text).marked()] == ["f", "helper", "deeper"]
    assert converted(text) == textwrap.dedent("""
        import autograph as ag

        def helper(x):
            return ag.and_(x, lambda: deeper(x))

        def deeper(x):
            return ag.not_(x)

        def other(x):
            return not x

        @ag.function(autograph=False)
        def f(x):
            return ag.or_(helper(x), lambda: ag.converted(unknown)(x))
        """).lstrip("\n")


@pytest.mark.parametrize(("imported", "mark", "becomes"), [
    ("import autograph as ag", "@ag.function", "@ag.function(autograph=False)"),
    ("import autograph", "@autograph.function", "@autograph.function(autograph=False)"),
    ("import autograph as tools", "@tools.function()", "@tools.function(autograph=False)"),
    ("import autograph as ag", "@ag.function(input_signature=[s])",
     "@ag.function(input_signature=[s], autograph=False)"),
    ("import autograph as ag", "@ag.function(autograph=True, name='g')",
     "@ag.function(name='g', autograph=False)"),
    ("import autograph as ag", "@ag.convert", None),
    ("import autograph as ag", "@ag.convert()", None),
])
def test_marks_and_aliases(imported: str, mark: str, becomes: str | None) -> None:
    alias = imported.split()[-1]
    lines = [imported, mark, "def f(x):", "    return not x", ""]
    expected = [imported, becomes, "def f(x):", f"    return {alias}.not_(x)", ""]
    assert converted("\n".join(lines)) == "\n".join(x for x in expected if x is not None)


def test_names_imported_from_autograph() -> None:
    text = converted("""
        \"\"\"Doc.\"\"\"
        from __future__ import annotations

        from autograph import function as jit, convert
        @jit
        def f(x):
            return not x
        @convert
        def g(x):
            return not x
        """)
    assert text == textwrap.dedent("""
        \"\"\"Doc.\"\"\"
        from __future__ import annotations
        import autograph as ag

        from autograph import function as jit, convert
        @jit(autograph=False)
        def f(x):
            return ag.not_(x)
        def g(x):
            return ag.not_(x)
        """).lstrip("\n")


@pytest.mark.parametrize("text", [
    "def f(x): pass\n",
    "import autograph as ag\n@ag.function(autograph=False)\ndef f(x): pass\n",
    "import autograph as ag\n@ag.other\ndef f(x): pass\n",
    "import autograph as ag\nag = None\n@ag.function\ndef f(x): pass\n",
    "import other as ag\n@ag.function\ndef f(x): pass\n",
    "@function\ndef f(x): pass\n",
])
def test_not_marked(text: str) -> None:
    assert module_of(text).marked() == []


def test_mark_by_gast_and_by_ast_is_the_same() -> None:
    import ast

    import gast
    marks = Decorators({"ag": "autograph"})
    for text in ("ag.function", "ag.function(x=1)", "ag.convert", "a.b.c", "f", "f()[1]"):
        kinds = {marks.kind(parse(text, mode="eval").body) for parse in (ast.parse, gast.parse)}
        assert len(kinds) == 1


def test_name_that_a_function_uses_for_something_else() -> None:
    text = converted("""
        import autograph as ag
        @ag.function
        def f(ag):
            return not ag
        @ag.function
        def g(x):
            return not x
        """)
    assert "import autograph as ag_1\nimport autograph as ag\n" in text
    assert "return ag_1.not_(ag)" in text and "return ag.not_(x)" in text


def test_methods_nested_functions_and_margins() -> None:
    text = """
        import autograph as ag
        class A:
            class B:
                @staticmethod
                @ag.convert
                def f(x):
                    '''Doc
                    more.'''
                    return '''a
        b''' if x else super
            if True:
                @ag.function
                def g(self, x):
                    return self.__x and super().g(x)
        def outer():
            @ag.function
            def inner(x):
                return not x
            return inner
        """
    assert [f.qualname for f in module_of(text).marked()] == ["A.B.f", "A.g", "outer.inner"]
    result = converted(text)
    assert "        def f(x):\n            '''Doc\n            more.'''\n" in result
    assert "lambda: '''a\nb'''," in result
    assert "        @staticmethod\n        def f(x):" in result
    assert ("    @ag.function(autograph=False)\n    def inner(x):\n"
            "        return ag.not_(x)") in result
    compile(result, "f.py", "exec")


def test_tabs_and_line_ends_are_kept() -> None:
    text = ("import autograph as ag\r\nclass A:\r\n\t@ag.convert\r\n\tdef f(s, x):\r\n"
            "\t\treturn not x\r\n")
    module = Module(text, "f.py")
    result = module.convert(module.marked()).text
    assert result == ("import autograph as ag\r\nclass A:\r\n\tdef f(s, x):\r\n"
                      "\t    return ag.not_(x)\r\n")


def test_everything_else_stays_byte_for_byte() -> None:
    text = ("#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n'''Doc'''\n"
            "import  autograph   as ag # x\nx = {1:2}  ;y=3\x0c\nif x : pass\n# before\n"
            "@ag.function # mark\ndef f( x ):\n  # in\n"
            "  return not  x # r\n# after\nz = \"\"\"\u2028\n\"\"\"")
    module = Module(text, "f.py")
    result = module.convert(module.marked()).text
    old, new = text.split("\n"), result.split("\n")
    changed = [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
    assert sorted(changed) == sorted([
        "- @ag.function # mark", "- def f( x ):", "-   # in", "-   return not  x # r",
        "+ # mark", "+ @ag.function(autograph=False)", "+ def f(x):", "+     # in",
        "+     return ag.not_(x)  # r"])


@pytest.mark.parametrize(("head", "new"), [
    ("", "import autograph as ag\n\n\n"),
    ("# about f\n", "import autograph as ag\n\n\n# about f\n"),
    ("#!/usr/bin/env python\n# coding: ascii\n# about f\n",
     "#!/usr/bin/env python\n# coding: ascii\nimport autograph as ag\n\n\n# about f\n"),
    ("# licence\n\n# about f\n", "# licence\n\nimport autograph as ag\n\n\n# about f\n"),
    ("# about the imports\nimport sys\n",
     "# about the imports\nimport autograph as ag\nimport sys\n"),
    ("'''Doc'''\n# about f\n", "'''Doc'''\nimport autograph as ag\n\n\n# about f\n"),
])
def test_a_new_import_comes_before_what_is_about_a_function(head: str, new: str) -> None:
    module = Module(head + "def f(x):\n    return not x\n", "f.py")
    result = module.convert(module.functions).text
    assert result == new + "def f(x):\n    return ag.not_(x)\n"


def test_functions_that_fail_stay_and_their_calls_are_converted() -> None:
    module = module_of("""
        import autograph as ag
        def helper(x):
            return not x
        @ag.function
        def f(x):
            return helper(x) and gen(x)
        @ag.function
        def gen(x):
            yield x
        """)
    result = module.convert(module.marked())
    (failed,) = (o for o in result.outcomes if o.error)
    assert failed.function.qualname == "gen" and isinstance(failed.error, UnsupportedFunctionError)
    assert str(failed.error).splitlines()[1] == "    def gen(x):"
    assert "ag.and_(helper(x), lambda: ag.converted(gen)(x))" in result.text
    assert "@ag.function\ndef gen(x):\n    yield x\n" in result.text


def test_ambiguous_names_are_not_taken_for_functions() -> None:
    text = """
        import autograph as ag
        def twice(x):
            return not x
        def twice(x):
            return x
        @print
        def decorated(x):
            return not x
        def shadowed(x):
            return not x
        @ag.function
        def f(x, shadowed):
            return twice(x), decorated(x), shadowed(x)
        """
    assert [f.qualname for f in module_of(text).marked()] == ["f"]
    calls = "ag.converted(twice)(x), ag.converted(decorated)(x), ag.converted(shadowed)(x)"
    assert calls in converted(text)


def test_not_recursive() -> None:
    assert "return ag.and_(x, lambda: g(x))" in converted("""
        import autograph as ag
        @ag.convert(recursive=False)
        def f(x):
            return x and g(x)
        """)


def test_selection_by_name_and_of_all() -> None:
    module = module_of("""
        def f(x):
            def inner(y):
                return not y
            return inner
        class A:
            def f(self): return not self
            async def g(self): pass
            def h(self): yield
        """)
    assert [f.qualname for f in module.every()] == ["f", "f.inner", "A.f"]
    assert [f.lines for f in module.named("A.f")] == [(6, 6)] and module.named("B.f") == []
    result = module.convert(module.every())
    assert [o.function.qualname for o in result.outcomes] == ["f", "A.f"]
    assert result.text.startswith("import autograph as ag\n\n\ndef f(x):\n")


def test_syntax_error() -> None:
    with pytest.raises(SourceSyntaxError) as caught:
        module_of("def f(:\n    pass\n")
    assert str(caught.value).startswith("f.py:1:7: AG102 ")


@pytest.mark.parametrize("text, at, message", [
    ("def f(x):\n    break\n", "2:5", "compile: 'break' outside loop"),
    ("x = 1\nreturn x\n", "2:1", "compile: 'return' outside function"),
    ("def f(x):\n    nonlocal y\n", "2:5", "compile: no binding for nonlocal 'y' found"),
    ("def f(x):\n    await x\n", "2:5", "compile: 'await' outside async function"),
    ("await x\n", "1:1", "compile: 'await' outside function"),
    ("def f(x, x): pass\n", "1:1", "compile: duplicate argument 'x' in function definition"),
    ("x = 1\ny = '\0'\n", "2:1", "parse: source code string cannot contain null bytes"),
])
def test_what_no_program_has_is_refused(text: str, at: str, message: str) -> None:
    with pytest.raises(SourceSyntaxError) as caught:
        module_of(text)
    assert str(caught.value).startswith(f"f.py:{at}")
    assert f" AG102 the file does not {message}" in str(caught.value)


def test_a_cell_may_await_outside_of_functions() -> None:
    text = "await x\n"
    assert Module(text, "cell 1", is_cell=True).convert([]).text == text


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "'''doc'''", "x = 1"])
def test_files_without_functions(text: str) -> None:
    module = Module(text, "f.py")
    assert module.convert(module.every()).text == text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_converted_example_is_stable(path: Path) -> None:
    module = Module(path.read_text(encoding="utf-8"), path.name)
    once = module.convert(module.marked()).text
    again = Module(once, path.name)
    assert again.marked() == [] and module.convert(module.marked()).text == once


def test_converted_file_runs_like_the_plain_one(tmp_path: Path) -> None:
    text = textwrap.dedent("""
        import autograph as ag
        LIMIT = 3
        def step(n):
            if n % 2 == 0:
                return n // 2
            return 3 * n + 1
        class Counter:
            __secret = 10
            def __init__(self):
                self.n = 0
            @ag.convert
            def up(self, by):
                for _ in range(by):
                    if self.n >= LIMIT:
                        break
                    self.n += 1
                else:
                    self.n += self.__secret
                return self.n, super().__eq__(self)
        @ag.convert
        def collatz(n, *, steps=0):
            while n != 1:
                n = step(n)
                steps += 1
            return steps
        results = [collatz(27), Counter().up(2), Counter().up(5)]
        """)
    plain = program(tmp_path, text).results
    module = Module(text, "f.py")
    result = module.convert(module.marked()).text
    assert "ag.while_loop" in result and "= step(n)" in result
    assert program(tmp_path, result).results == plain == [111, (12, True), (3, True)]


def test_output_does_not_depend_on_the_hash_seed() -> None:
    code = ("from autograph.conversion.module import Module; from pathlib import Path\n"
            f"m = Module(Path({str(EXAMPLES[2])!r}).read_text(), 'x.py')\n"
            "print(m.convert(m.every()).text)")
    outputs = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True,
                              env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path.cwd())}).stdout
               for seed in ("1", "2", "3")}
    assert len(outputs) == 1


@pytest.mark.parametrize("select", [Module.every, Module.marked])
def test_the_work_grows_as_the_file_does(select) -> None:
    few, many = (calls_to_convert(count, select) for count in (40, 80))
    assert many < 2.2 * few


def calls_to_convert(count: int, select) -> int:
    """How many functions of Python are entered while a file of so many functions is converted."""
    text = "import autograph as ag\n" + "".join(
        f"@ag.convert\ndef f{k}(x):\n    return helper{k}(x) if x else {k}\n"
        f"def helper{k}(x):\n    return not x\n" for k in range(count))
    calls = itertools.count()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: event == "call" and next(calls) < 0)
    try:
        module = Module(text, "f.py")
        outcomes = module.convert(select(module)).outcomes
    finally:
        sys.setprofile(before)
    assert len(outcomes) == 2 * count
    return next(calls)
