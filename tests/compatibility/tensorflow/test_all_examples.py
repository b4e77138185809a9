"""Where every example of TensorFlow's pages stands; that each difference is in the table."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs" / "tf-function"

OVERVIEW = {
    "000-1": "optimized_computation(np.int64(1), np.int64(2))",
    "000-2": "conditional_function(np.array([-1, -2, 1]))",
    "000-3": "specific_function(np.float32(1.0))",
    "000-text": "total.experimental_get_tracing_count()",
}
GUIDE = {
    "001-2": "with assert_raise(IndexError):", "001-3": "add(np.ones([2, 2]), np.ones([2, 2]))",
    "001-5": "dense_layer(np.ones([3, 2]), np.ones([2, 2]), np.ones([2]))",
    "001-6": 'print("Function conv:", timeit', "001-7": 'print("Tracing with", a)',
    "001-8": 'double(np.str_("a"))', "001-9": 'double(np.str_("b"))',
    "001-11": "double.pretty_printed_concrete_signatures()",
    "G1": "import numpy as np", "G2": "import autograph as ag", "G3": "def assert_raises(",
    "G4": "add(np.ones([2, 2]), np.ones([2, 2]))", "G6": "def dense_layer(x, w, b):",
    "G7": 'print("Eager conv:", timeit', "G8": "double(np.float64(1.1))",
    "G9": 'double(np.str_("b"))', "G10": "double.pretty_printed_concrete_signatures()",
    "G11": "next_collatz(np.array([1.0, 2.0]))", "G12": "g(np.array([1, 2, 3, 4, 5], np.int32))",
    "G13": "h(np.arange(7)), h(np.arange(9))", "G14": "train(num_steps=np.int64(20))",
    "G15": "ag.function(f)()", "G16": "get_mixed_flavour(Apple(), Mango())",
    "G17": 'double_strings(a=np.str_("b"))',
    "G18": "double.get_concrete_function(ag.TensorSpec([], str))", "G19": "print(double_strings)",
    "G20": "double.get_concrete_function(np.int64(1)).function_type",
    "G21": "double_strings(np.int64(1))",
    "G22": "pow.get_concrete_function(a=ag.TensorSpec(None, np.float32), b=2)",
    "G23": "square(10.0, b=3)", "G24": "for node in double_strings.graph.as_graph_def().node:",
    "G25": 'double_strings.inference_fn(np.str_("a"))', "G26": "squash(np.array([1.0, 0.5]))",
    "G27": "ag.to_code(squash.python_function)", "G28": "fizzbuzz(np.int64(20))",
    "G29": "an array of {n} pairs", "G30": "dynamic_rnn(lambda x, state: x + state",
    "G31": "f(2)", "G32": "@ag.py_function(Tout=np.float32)",
    "G33": "tf_wrapper(np.float32(1.0), np.float32(2.0))",
    "G34": "tf_wrapper(np.float32(1.0), np.float32(2.0))", "G35": "len(external_list)",
    "G36": "print(m(), m(), m())", "G37": "print(m.outside(), m.outside(), m.outside())",
    "G38": "buggy_consume_next(iterator)", "G39": "good_consume_next(iterator)",
    "G40": "leaky_function(np.int64(1)), leaked()", "G41": "captures_leaked_tensor(np.int64(2))",
    "G42": "def leaky_function(a):", "G43": "recursive_sum(np.int64(5))", "G44": "recursive_fn(5)",
    "G45": "def buggy_add():", "G46": "recommended_add(foo)", "G47": "def variable_add():",
    "G48": "bar.assign(100)", "G49": "evaluate_graph(simple_model, x)",
    "G50": "simple_model.bias += 5.0", "G51": "evaluate_no_bias(x)", "G52": "evaluate_with_bias(x)",
    "G53": "evaluate_graph(better_model, x)", "G54": "better_model.bias.assign_add(5.0)",
    "G55": "make_variable(np.float64(1.0))", "G56": "print(c(), c())",
    "G57": "train_step(w, np.float64(.1), np.float64(.3), Momentum())",
    "G58": "TrainMachine(Momentum()).step(w",
    "G59": "ag.function(plain_step), ag.function(plain_step)",
}
GRAPHS = {
    "I3": "bool(orig_value == function_value)", "I4": "outer_function(np.array([[1.0, 2.0]]))",
    "I5": "graph_relu(np.int64(-1))", "I6": "ag.to_code(simple_relu)",
    "I7": "graph_relu.get_concrete_function(np.int64(1)).graph", "I8": "my_relu([1, -1])",
    "I9": "my_relu(np.array([-1., 1.]))", "I10": "my_relu.pretty_printed_concrete_signatures()",
    "I11": "def get_MSE(y_true, y_pred):", "I12": "rng.integers(0, 10, size=5)",
    "I13": "get_MSE(y_true, y_pred)", "I14": "ag.run_functions_eagerly(True)",
    "I15": "get_MSE(y_true, y_pred)", "I16": "ag.run_functions_eagerly(False)",
    "I17": 'print("Calculating MSE!")', "I18": "error = get_MSE(y_true, y_pred)",
    "I19": "ag.run_functions_eagerly(True)", "I20": "error = get_MSE(y_true, y_pred)",
    "I21": "ag.run_functions_eagerly(False)", "I22": "unused_return_eager(np.array([0.0]))",
    "I23": "unused_return_graph(np.array([0.0]))", "I24": "def power(x, y):",
    "I25": 'print("Eager execution:", timeit', "I26": 'print("Graph execution:", timeit',
    "I27": "a_function_with_python_side_effect(np.int64(3))",
    "I28": "a_function_with_python_side_effect(3)",
}
REFERENCE = {
    "H1": "h1(np.array([2, 3]), np.array([3, -2]))", "H2": "h2(np.int64(-2))", "H3": "h3()",
    "H4": "counter.numpy()", "H5": "h5(np.array([1, 2, 3]))", "H6": "h6(np.array([1, 2, 3]))",
    "H7": "concrete(1) is concrete(2)", "H8": "concrete(vector) is concrete(matrix)",
    "H9": "MyModule()(np.array([2., 3.]))", "H10": "functional(np.int64(1), np.int64(2))",
    "H11": "shown(np.int64(1), 2)", "H12": "shown.experimental_get_tracing_count()",
    "H13": "ag.cond(True, lambda: 3, lambda: 4)", "H14": "h14(np.int64(1))",
    "H15": "h15(np.int64(1)), h15(np.int64(-1))", "H16": "h16(np.int64(3))",
    "H17": "h17(np.int64(3))", "H18": "h18(np.int64(3))", "H19": "def also():",
    "H20": "h20.python_function(3)", "H21": "h21(np.arange(3)), h21(np.arange(6))",
    "H22": "h22(np.int64(1))", "H23": "h23(np.array([1, 2, 3]))",
}
PLACES = {"overview.md": OVERVIEW, "guide.md": GUIDE, "graphs.md": GRAPHS,
          "reference.md": REFERENCE}
"""The page of each example, and a piece of a line of it."""

NOT_YET = {"001-4", "G5"}
"""Two with gradients."""


def blocks(page):
    """The code of a page that the tests run."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", (PAGES / page).read_text(), re.M | re.S))


def test_every_example_has_a_place():
    wanted = {f"000-{n}" for n in (1, 2, 3, "text")} | {f"001-{n}" for n in (*range(2, 10), 11)}
    wanted |= {f"I{n}" for n in range(3, 29)} | {f"G{n}" for n in range(1, 60)}
    wanted |= {f"H{n}" for n in range(1, 24)}
    assert len(wanted) == 121
    placed = [name for page in PLACES.values() for name in page]
    assert sorted(placed) == sorted(wanted - NOT_YET)


@pytest.mark.parametrize("page", PLACES)
def test_examples_stand_in_blocks_that_are_run(page):
    code = blocks(page)
    assert [name for name, piece in PLACES[page].items() if piece not in code] == []


def sections_with_differences(page):
    """The addresses of a page's sections that say **Difference**."""
    sections = re.split(r"^#+ ", (PAGES / page).read_text(), flags=re.M)
    return {f"{page}#{slug(text.partition(chr(10))[0])}" for text in sections
            if "**Difference**" in text}


def slug(heading):
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_differences_are_marked_where_they_stand_and_collected_in_a_table():
    marked = {address for page in PLACES for address in sections_with_differences(page)}
    table = (PAGES / "differences.md").read_text().split("Differences that no example shows")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| [")]
    assert {link for row in rows for link in re.findall(r"\]\(([^)]*)\)", row)} == marked
    assert len(rows) == 18
