"""Graphs as DOT and as nested boxes: complete, the same every time, the user's text escaped."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import autograph as ag
from tests.support import explained_programs as programs


def graph_of(f: object, *args: object) -> object:
    return f.get_concrete_function(*args).graph


@ag.function
def labelled(x):
    ag.print('quote " and \\ and <b>', x)
    return x


GRAPHS = [(programs.settle, (programs.GRID, 0.5)), (programs.collatz, (np.int64(3),)),
          (labelled, (np.ones(2),)), (programs.long, (np.ones(2),))]


@pytest.mark.parametrize(("f", "args"), GRAPHS, ids=lambda x: getattr(x, "__name__", None))
def test_dot_has_every_equation(f: object, args: tuple[object, ...]) -> None:
    graph = graph_of(f, *args)
    text = graph.to_dot()
    assert text == graph.to_dot() and text.count("{") == text.count("}")
    nodes = re.findall(r"^ *(n\d+) \[label=", text, re.MULTILINE)
    regions = sum(len(e.regions) for e in graph.walk())
    least = len(list(graph.walk())) + len(graph.inputs) + regions + 1
    assert len(nodes) == len(set(nodes)) >= least
    named = set(re.findall(r"(n\d+) -> ", text)) | set(re.findall(r"-> (n\d+)", text))
    assert named <= set(nodes)
    assert text.count("subgraph") == regions + sum(bool(e.regions) for e in graph.walk())


@pytest.mark.parametrize(("f", "args"), GRAPHS, ids=lambda x: getattr(x, "__name__", None))
def test_graphviz_reads_it(f: object, args: tuple[object, ...]) -> None:
    dot = shutil.which("dot")
    if dot is None:
        pytest.skip("graphviz is not installed")
    done = subprocess.run([dot, "-Tsvg"], input=graph_of(f, *args).to_dot(), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0 and "<svg" in done.stdout and not done.stderr


@pytest.mark.parametrize(("f", "args"), GRAPHS, ids=lambda x: getattr(x, "__name__", None))
def test_boxes_have_every_equation(f: object, args: tuple[object, ...]) -> None:
    graph = graph_of(f, *args)
    html = graph._repr_html_()
    assert html.count('<div class="eq"') == len(list(graph.walk())) + len(graph.captures)
    assert html.count("<details") == html.count("</details>") == sum(
        bool(e.regions) for e in graph.walk())
    assert html.count("<div") == html.count("</div>")


def test_text_of_the_user_is_escaped() -> None:
    graph = graph_of(labelled, np.ones(2))
    assert "&lt;b&gt;" in graph._repr_html_() and "<b>'" not in graph._repr_html_()
    assert '\\"' in graph.to_dot()
