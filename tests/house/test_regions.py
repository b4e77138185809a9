"""There is one way to run the user's code where the graph decides if, or how often: `trace_region`.

Who calls it is listed here, and so is who opens a region without it: none of these runs code of the
user's that may change something.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

RUN_CODE = {
    "runtime/control_flow/cond.py: cond": "both sides of a branch, and what a branch selects",
    "runtime/control_flow/traced_loop.py: _trace": "the test and the body of a loop",
    "runtime/control_flow/recursion.py: result_of": "the body of a function that calls itself",
    "autograph/staging/iterator_builtins.py: _python_can_read":
        "a generator up to its next item, to see if Python can run it; nothing of it stays",
    "autograph/tensorflow/collected.py: _probe":
        "the first call of a mapped function, for the type of its result; nothing of it stays",
}
"""Who calls `trace_region`, and for what."""

BUILD_GRAPHS = {
    "runtime/control_flow/traced_regions.py: trace_region": "the way itself",
    "runtime/heap/selected_objects.py: _side": "makes copies of objects of the trace",
    "autograph/staging/loops.py: _is_symbolic":
        "the flags of `break` and `return`, which the compiler wrote",
}
"""Who opens a region without it, and why nothing is missed."""

DERIVATIVES = ("runtime/differentiate/", "autograph/gradients/")
"""Regions there are derivatives of equations, and the rules of `ag.custom_vjp` and its kin, which
run once for a trace, whatever the run decides."""


def opened(name: str) -> set[str]:
    """Returns the functions that call this one, by file."""
    found = set()
    for folder in ("runtime", "autograph"):
        for file in (ROOT / folder).rglob("*.py"):
            if file.is_symlink() or "autograph/runtime" in str(file) or "autograph/tools" in str(
                    file):
                continue
            text = file.read_text()
            for function in _functions(ast.parse(text)) if f"{name}(" in text else ():
                if any(_called(x) == name for x in _own_nodes(function)):
                    found.add(f"{file.relative_to(ROOT)}: {function.name}")
    return found


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef))


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yields the nodes of a function without those of the functions in it."""
    pending: list[ast.AST] = [*function.body]
    while pending:
        x = pending.pop()
        yield x
        if not isinstance(x, ast.FunctionDef):
            pending += ast.iter_child_nodes(x)


def _called(x: ast.AST) -> str:
    return ast.unparse(x.func) if isinstance(x, ast.Call) else ""


def test_who_runs_code_that_the_graph_decides() -> None:
    assert opened("trace_region") == RUN_CODE.keys()


def test_who_opens_a_region_otherwise() -> None:
    found = {x for x in opened("trace.region") if not x.startswith(DERIVATIVES)}
    assert found == BUILD_GRAPHS.keys()
