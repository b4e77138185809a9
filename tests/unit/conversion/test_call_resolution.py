"""What the compiler knows about a call before the program runs."""

import builtins
from pathlib import Path
from types import BuiltinFunctionType

import gast
import numpy as np
import pytest

import autograph as ag
from autograph.conversion.call_resolution import (
    UNKNOWN,
    imports_of,
    live_lookup,
    resolver,
    rule_for,
    static_lookup,
)
from autograph.conversion.conversion_rules import REPLACEMENTS
from autograph.operators.builtins import BUILTIN_REPLACEMENTS
from autograph.syntax.source import read_file
from autograph.syntax.source_file import SourceFile, parse
from tests.support.program_files import program

KEPT = [np.sin, np.add, np.concatenate, np.where, np.linalg.norm, np.zeros_like, np.einsum,
        super, ag.cond, ag.convert,
        ValueError, StopIteration, parse]
CONVERTED = [hash, open, np.zeros, np.array, np.arange, np.float64, np.random.normal, np.vectorize,
             Path, lambda x: x, UNKNOWN]


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_kept(f: object) -> None:
    assert rule_for(f).action == "keep"


def test_identity_is_an_operator() -> None:
    """`id` follows the rule of `is`, so it has a form of its own for values of the run."""
    assert rule_for(id).action == "operator"


@pytest.mark.parametrize("f", CONVERTED, ids=lambda f: type(f).__name__)
def test_converted(f: object) -> None:
    assert rule_for(f).action == "convert"


@pytest.mark.parametrize("name", BUILTIN_REPLACEMENTS)
def test_operators(name: str) -> None:
    rule = rule_for(getattr(builtins, name))
    assert (rule.action, rule.operator) == ("operator", name)


def test_every_builtin_has_a_rule() -> None:
    for name, f in vars(builtins).items():
        if isinstance(f, (type, BuiltinFunctionType)) and not name.startswith("__"):
            assert rule_for(f).action in ("keep", "operator") or f in REPLACEMENTS, name


def rules(module_text: str, *callees: str, local: frozenset[str] = frozenset()) -> list[str]:
    file = SourceFile("<text>", module_text.splitlines(keepends=True))
    resolve = resolver(static_lookup(file, imports_of(file.module)))
    found = [resolve(gast.parse(c, mode="eval").body, local) for c in callees]
    return [rule.operator or rule.action for rule in found]


def test_static_names() -> None:
    text = "import numpy as np, math\nfrom numpy import sin as s, zeros\nimport autograph\n"
    assert rules(text, "np.sin", "np.zeros", "np.linalg.norm", "s", "zeros", "math.sqrt",
                 "autograph.cond", "len", "print", "f", "x.f", "f()", "np.no_such_thing") == [
        "keep", "convert", "keep", "keep", "convert", "convert", "keep", "len", "print_", "convert",
        "convert", "convert", "convert"]


@pytest.mark.parametrize("text", [
    "len = None\n", "def len(x): pass\n", "class len: pass\n", "from a import len\n",
    "from a import *\n", "for len in x: pass\n", "if x:\n    len = 1\n", "with x as len: pass\n",
    "try:\n    pass\nexcept A as len:\n    pass\n", "def f():\n    global len\n    len = 1\n",
    "(len := 1)\n", "match x:\n    case {**len}:\n        pass\n",
    "match x:\n    case [*len]:\n        pass\n", "import len.a\n", "del len\n",
    "len: int = 1\n"])
def test_builtins_that_the_file_shadows(text: str) -> None:
    assert rules(text, "len") == ["convert"]


def test_local_names_are_unknown() -> None:
    assert rules("import numpy as np\n", "np.sin", "len", local=frozenset({"np", "len"})) == [
        "convert", "convert"]


def test_imports_bound_twice_are_unknown() -> None:
    text = "try:\n    import numpy as np\nexcept ImportError:\n    np = None\n"
    assert imports_of(parse(text, "")) == {}
    assert imports_of(parse("import numpy as np\nimport numpy as np\n", "")) == {"np": "numpy"}
    assert imports_of(parse("import numpy as np\nimport math as np\n", "")) == {}
    assert imports_of(parse("from . import np\nfrom .a import b\n", "")) == {}


def test_live_names(tmp_path: Path) -> None:
    module = program(tmp_path, """
        import numpy as np
        from builtins import len as size
        def f(x):
            return x
        def outer(np):
            def inner(x):
                return np
            return inner
        later = 3
        """)
    lookup = live_lookup(module.f, read_file(module.f))
    assert lookup("np") is np and lookup("f") is module.f and lookup("sum") is sum
    assert lookup("size") is UNKNOWN and lookup("nothing") is UNKNOWN
    inner = module.outer(1)
    assert live_lookup(inner, read_file(inner))("np") is UNKNOWN


def test_builtin_defined_later_in_the_module(tmp_path: Path) -> None:
    """The function is converted before the name that it calls exists."""
    module = program(tmp_path, """
        import autograph as ag
        @ag.convert
        def f(x):
            return len(x) if x else 0
        def len(x):
            return "mine"
        """)
    assert module.f([1]) == "mine"
