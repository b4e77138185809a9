"""Functions that call themselves: the graphs they become, who reads those, and how deep they go."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.graph import equations_in, graphs_in
from autograph.runtime.ir.printer import to_text
from autograph.runtime.ops.parse import parse
from tests.corpus.case import Case
from tests.corpus.language import recursion

CASES = [case for case in recursion.CASES if case.name != "recursion.catches"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_every_reader_of_graphs_knows_calls(case: Case) -> None:
    """The checker, text and its parser, definitions, drawings, the report."""
    concrete = ag.function(case.function).get_concrete_function(*case.arguments[0])
    for graph in (concrete.traced_graph, concrete.graph):
        text = to_text(graph)
        assert to_text(parse(text)) == text
        definition = graph.as_graph_def()
        library = definition.library.function
        called = {n.attr["f"] for f in library for n in f.node if n.op == "Call"}
        assert called <= {f.name for f in library}
        assert graph.to_dot().count("digraph") == 1 and graph._repr_html_()


@pytest.mark.parametrize("case", [c for c in CASES if c.function in (
    recursion.fibonacci, recursion.quicksort, recursion.pair_of_results,
    recursion.order_of_visit)], ids=lambda case: case.function.__name__)
def test_the_file_of_a_graph_that_calls_itself(case: Case) -> None:
    text = ag.function(case.function).to_python(*case.arguments[0])
    space: dict[str, object] = {}
    exec(compile(text, "graph.py", "exec"), space)
    made = space[case.function.__name__]
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments[0]]
    assert repr(made(*copies)) == repr(case.function(*[  # type: ignore[operator]
        a.copy() if isinstance(a, np.ndarray) else a for a in case.arguments[0]]))


def test_the_graph_and_the_source() -> None:
    fibonacci = ag.function(recursion.fibonacci)
    concrete = fibonacci.get_concrete_function(np.int64(5))
    assert str(concrete.graph) == """\
fibonacci(n: i64):
  a: i64 = call(fibonacci_1, n)
  return a

fibonacci_1(n_1: i64):
  b: bool = less(n_1, 2)
  n_2: i64 = cond(b):
    true():
      yield n_1
    false():
      c: i64 = subtract(n_1, 1)
      d: i64 = call(fibonacci_1, c)
      e: i64 = subtract(n_1, 2)
      f: i64 = call(fibonacci_1, e)
      g: i64 = add(d, f)
      yield g
  return n_2"""
    assert concrete.source.endswith("""\


def fibonacci_1(n_1):
    if n_1 < 2:
        return n_1
    return fibonacci_1(n_1 - 1) + fibonacci_1(n_1 - 2)
""")


def test_python_numbers_are_unrolled() -> None:
    concrete = ag.function(lambda x: x * recursion.fibonacci(7)).get_concrete_function(np.ones(2))
    assert [e.op.name for e in concrete.graph.walk()] == ["multiply"]


def test_one_graph_for_arrays_of_all_lengths() -> None:
    concrete = ag.function(recursion.quicksort).get_concrete_function(np.ones(5))
    assert [str(v.type) for g in graphs_in(concrete.graph)[1:] for v in g.inputs] == ["f64[?]"]


def test_an_array_is_passed_on_without_copies() -> None:
    """Inside, what a callee overwrites is the caller's own array."""
    source = ag.function(recursion.fills).get_concrete_function(
        *recursion.CASES[18].arguments[0]).source
    assert "copy(" not in source.partition("def flood_fill")[2]


def copies_first(x, n):  # type: ignore[no-untyped-def]
    def halve(a, n):  # type: ignore[no-untyped-def]
        if n > 0:
            a[0] = a[0] / 2
            return halve(a, n - 1)
        return a[0]

    half = halve(x.copy(), n)
    return half, x, halve(x, n)


def test_an_array_that_is_still_wanted_is_copied() -> None:
    f = ag.function(copies_first)
    for _ in range(2):
        x, y = np.array([8.0, 1.0]), np.array([8.0, 1.0])
        assert repr(f(x, np.int64(3))) == repr(copies_first(y, np.int64(3)))
        assert x.tolist() == y.tolist() == [1.0, 1.0]


def test_as_deep_as_plain_python() -> None:
    def deep(n):  # type: ignore[no-untyped-def]
        return 0 if n == 0 else 1 + deep(n - 1)

    f = ag.function(deep)
    assert f(np.int64(500)) == 500
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        f(np.int64(10**6))
    assert f(np.int64(3)) == 3


@pytest.mark.parametrize("executor", ["python", "interpreter"])
def test_no_end(executor: str) -> None:
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        ag.function(recursion.never_ends, executor=executor)(np.int64(1))


def test_a_decorated_function_calls_itself() -> None:
    @ag.function(input_signature=[ag.TensorSpec([], np.int64)])
    def factorial(n):  # type: ignore[no-untyped-def]
        if n <= 1:
            return n
        return n * factorial(n - 1)

    assert [factorial(n) for n in (1, 5, 10)] == [1, 120, 3628800]
    assert factorial.experimental_get_tracing_count() == 1


def test_effects_in_a_function_that_calls_itself(capfd: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def countdown(n):  # type: ignore[no-untyped-def]
        if n > 0:
            ag.print(n)
            countdown(n - 1)

    for _ in range(2):
        countdown(np.int64(3))
    said = capfd.readouterr()
    assert (said.out + said.err).split() == ["3", "2", "1"] * 2


def test_errors_name_the_line_inside() -> None:
    def falls(x, n):  # type: ignore[no-untyped-def]
        if n == 0:
            return x[10]
        return falls(x, n - 1)

    f = ag.function(lambda x, n: falls(x[x > 0], n))
    with pytest.raises(IndexError, match="out of bounds") as caught:
        f(np.ones(3), np.int64(2))
    assert any("return x[10]" in note for note in caught.value.__notes__)


def test_a_list_that_is_not_the_same_in_each_call_is_changed() -> None:
    def grows(xs, n):  # type: ignore[no-untyped-def]
        xs.append(n)
        return (len(xs), sum(xs)) if n == 0 else grows([n, *xs], n - 1)

    f = ag.function(lambda n: grows([n], n))
    assert [f(np.int64(n)) for n in (2, 0, 5)] == [(6, 8), (2, 0), (12, 35)]


def test_a_memo_table_outside_is_filled_once() -> None:
    table = {}  # type: ignore[var-annotated]

    def fib(n):  # type: ignore[no-untyped-def]
        if n not in table:
            table[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
        return table[n]

    f = ag.function(fib)
    assert [f(np.int64(n)) for n in (6, 30, 3)] == [8, 832040, 2]
    assert table == {n: fib(n) for n in range(31)}


def test_the_report_says_so() -> None:
    fibonacci = ag.function(recursion.fibonacci)
    fibonacci(np.int64(3))
    assert "fibonacci calls itself on symbolic values" in str(fibonacci.explain())


def test_calls_use_nothing_from_around_them() -> None:
    concrete = ag.function(recursion.reaches_by_closure).get_concrete_function(recursion.LONG)
    for graph in graphs_in(concrete.graph):
        assert graph.free_values() == ()
    assert any(e.op.name == "call" for e in equations_in(concrete.graph))


def test_a_result_that_nobody_reads_leaves_the_user_s_underscore_alone() -> None:
    def walk(n, a):  # type: ignore[no-untyped-def]
        if n > 0:
            x, y = walk(n - 1, a)
            return x + 1, y * 2
        return a, a

    def f(n, a):  # type: ignore[no-untyped-def]
        _ = a * 3
        p, _q = walk(n, a)
        return _ + 1 + _ * p

    assert ag.function(f)(np.int64(3), np.float64(2.0)) == f(3, 2.0) == 37.0


class Branch:
    def __init__(self, key: Any) -> None:
        self.key, self.left, self.right = key, None, None


def inserted(n: Any, key: Any) -> Any:
    if n is None:
        return Branch(key)
    if key < n.key:
        n.left = inserted(n.left, key)
    elif key > n.key:
        n.right = inserted(n.right, key)
    else:
        return n
    if n.left and n.left.key > 5:
        top = n.left
        n.left, top.right = top.right, n
        return top
    return n


def keys(n: Any) -> list[Any]:
    return [*keys(n.left), n.key, *keys(n.right)] if n else []


def test_an_argument_that_an_earlier_call_may_have_left_unbound_is_not_written() -> None:
    def tree(given: list[Any]) -> tuple[Any, list[Any]]:
        root = None
        for key in given:
            root = inserted(root, key)
        return root.key, keys(root)

    f = ag.function(tree)
    for given in ([3, 1, 2], [9, 7, 8], [7, 9, 6], [2, 2, 1]):
        assert f([np.int64(x) for x in given]) == tree([np.int64(x) for x in given])
