"""Running eagerly, asking where one is, functions inside functions, graphs as named nodes."""

import gc
import sys

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


@pytest.fixture(autouse=True)
def restore():
    yield
    ag.run_functions_eagerly(False)


def test_run_functions_eagerly(capsys):
    @ag.function
    def f(x, n):
        print("running")
        return (x + n, type(n)) if x > 0 else (x, type(n))

    f(ONE, 2), f(ONE, 2)
    assert capsys.readouterr().out == "running\n"
    ag.run_functions_eagerly(True)
    assert ag.functions_run_eagerly() and ag.config.functions_run_eagerly()
    assert [f(ONE, 2), f(ONE, 2)] == [(3, int)] * 2
    assert capsys.readouterr().out == "running\nrunning\n"
    ag.run_functions_eagerly(False)
    assert f(ONE, 2) == (3, int)
    assert capsys.readouterr().out == ""
    assert f.experimental_get_tracing_count() == 1


def test_eager_switch_reaches_inner_functions():
    inner_ran = []

    @ag.function
    def inner(x):
        inner_ran.append(1)
        return x

    outer = ag.function(lambda x: inner(x))
    ag.run_functions_eagerly(True)
    outer(ONE), outer(ONE)
    assert len(inner_ran) == 2


def test_where_one_is():
    seen = []

    @ag.function
    def f(x):
        seen.append((ag.executing_eagerly(), ag.inside_function()))
        with ag.init_scope():
            seen.append((ag.executing_eagerly(), ag.inside_function()))
        return x

    f(ONE)
    assert seen == [(False, True), (True, False)]
    assert ag.executing_eagerly() and not ag.inside_function()


def test_functions_inside_functions():
    traced = []

    @ag.function
    def add(a, b):
        traced.append("add")
        return a + b

    @ag.function
    def dense(x, w, b):
        traced.append("dense")
        return add(x @ w, b)

    for _ in range(2):
        assert dense(np.ones((3, 2)), np.ones((2, 2)), np.ones(2)).tolist() == [[3, 3]] * 3
    assert traced == ["dense", "add"]


def test_recursion_on_python_values(capsys):
    @ag.function
    def recursive(n):
        print("tracing")
        return recursive(n - 1) if n > 1 else 1

    assert recursive(5) == 1
    assert capsys.readouterr().out == "tracing\n" * 5


# -- graphs as named nodes ------------------------------------------------------------------------


def test_nodes_of_a_graph():
    graph = ag.function(lambda a: a + a).get_concrete_function(np.str_("a")).graph
    assert [f"{n.input} -> {n.name}" for n in graph.as_graph_def().node] == [
        "[] -> a", "['a', 'a'] -> add", "['add'] -> Identity"]
    assert [n.op for n in graph.get_operations()] == ["Placeholder", "add", "Identity"]
    assert graph.get_operation_by_name("add").inputs == ["a", "a"]
    with pytest.raises(KeyError, match="has no operation 'sub'"):
        graph.get_operation_by_name("sub")


def test_branches_and_loops_are_functions_of_the_library():
    def relu(x):
        if x > 0:
            return x
        else:
            return 0

    def count(n):
        i = 0
        while i < n:
            i += 2
        for _ in range(n):
            i += 1
        return i

    definition = ag.function(relu).get_concrete_function(np.int64(1)).graph.as_graph_def()
    assert [n.op for n in definition.node] == ["Placeholder", "Const", "greater", "If", "Identity"]
    branch = definition.node[3]
    assert [f.name for f in definition.library.function] == [
        branch.attr["then_branch"], branch.attr["else_branch"]]
    loops = ag.function(count).get_concrete_function(np.int64(1)).graph
    assert {"While", "For"} <= {n.op for n in loops.get_operations()}
    text = str(definition)
    assert 'op: "If"' in text and "library {" in text


def test_node_inputs_are_names_of_nodes():
    v = ag.Variable(1.0, name="v")
    weights = np.ones((2, 2))

    def f(x):
        y, _ = np.linalg.eigh(weights * x[0] + v)
        return y, x

    definition = ag.function(f).get_concrete_function(np.ones(2)).graph.as_graph_def()
    names = [n.name for n in definition.node]
    assert len(set(names)) == len(names)
    for i, node in enumerate(definition.node):
        assert all(name.partition(":")[0] in names[:i] for name in node.input)
    assert {"Const", "Variable"} <= {n.op for n in definition.node}
    size = ag.function(lambda xs: sum(x * 2 for x in xs))
    sizes = [len(size.get_concrete_function([ONE] * n).graph.get_operations()) for n in (3, 10)]
    assert sizes[0] < sizes[1]


def test_graph_prints_as_text():
    text = str(ag.function(lambda a: a + a).get_concrete_function(ONE).graph)
    assert "add(a, a)" in text and text.startswith("<lambda>(a: f64)")


SWITCHES = {
    "debug": lambda on: setattr(ag.config, "debug", on),
    "run_functions_eagerly": ag.run_functions_eagerly,
    "check_numerics": lambda on: (ag.debugging.enable_check_numerics if on
                                  else ag.debugging.disable_check_numerics)(),
}


def calls_made(action):
    """How many functions of Python are entered while `action` runs."""
    entered = []

    def note(frame, event, arg):
        if event == "call":
            entered.append(frame.f_code.co_qualname)

    before = sys.getprofile()
    gc.disable()  # what it finds dead may have a callback
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
        gc.enable()
    return entered


@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_costs_the_same_whatever_lives(switch):
    SWITCHES[switch](False)  # finds the names of the façade
    try:
        few = calls_made(lambda: SWITCHES[switch](True)), calls_made(
            lambda: SWITCHES[switch](False))
        functions = [ag.function(lambda x, k=k: x + k) for k in range(50)]
        assert [f(ONE) for f in functions] == [1 + k for k in range(50)]
        many = calls_made(lambda: SWITCHES[switch](True)), calls_made(
            lambda: SWITCHES[switch](False))
    finally:
        SWITCHES[switch](False)
    assert many == few
    assert [f(ONE) for f in functions] == [1 + k for k in range(50)]


@pytest.mark.parametrize("function", [lambda: np.float64(3), lambda x=ONE: x, lambda x=(1, 2): x])
@pytest.mark.parametrize("switch", SWITCHES)
def test_a_switch_reaches_functions_that_guards_recognise(switch, function):
    f = ag.function(function)
    slow = []
    f.__ag_dispatcher__.entry_point.slow_path = lambda *given: slow.append(given)
    f.__ag_dispatcher__.find({p.name: p.default for p in f.__ag_dispatcher__.parameters})
    for _ in range(20):
        f()
    assert slow == []
    try:
        SWITCHES[switch](True)
        f()
        assert len(slow) == 1
    finally:
        SWITCHES[switch](False)
    f()
    assert len(slow) == 1


def test_a_signature_whose_traces_raise_runs_without_them_until_it_returns():
    switch = {"on": False}

    @ag.function
    def f(x):
        if not switch["on"]:
            raise ValueError(f"off for {x}")
        return x + 1

    def outcome():
        try:
            return f(ONE)
        except ValueError as error:
            return str(error)

    assert [outcome() for _ in range(6)] == ["off for 1.0"] * 6
    switch["on"] = True
    assert [outcome() for _ in range(3)] == [2.0] * 3
    assert f.experimental_get_tracing_count() > 0


def test_the_second_run_of_a_handled_error_is_the_function_as_it_was_written():
    ran = []

    @ag.function
    def f(x, n):
        try:
            if x > n:
                raise ValueError("large")
        except ValueError as error:
            ran.append(sys._getframe().f_code.co_name)
            return str(error), getattr(error, "__notes__", [])
        return "small", []

    for _ in range(3):
        assert f(ONE, 2) == ("small", [])
        assert f(ONE * 3, 2) == ("large", [])
    assert set(ran) == {"f"}
