"""Rows of tables: a line of text becomes a case, a function of the values that it names."""

import ast
import linecache
import math
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.numpy.values import VALUES, Point

Fn = Callable[..., Any]

SCOPE = {"np": np, "math": math, "os": os, "random": random, "time": time, "ag": ag, "Point": Point}


def rows(table: str, texts: Iterable[str], **scope: Any) -> list[Case]:
    """The cases of a table. Each text is an expression, or statements that end in a `return`."""
    texts = list(texts)
    parameters = [[name for name in VALUES if name in read] for read in map(_names, texts)]
    sources = [_source(f"row_{k}", names, t)
               for k, (names, t) in enumerate(zip(parameters, texts, strict=True))]
    namespace = {**SCOPE, **scope, "__name__": f"tests.corpus.numpy.{table}"}
    _execute(f"<{table}>", "\n\n".join(sources), namespace)
    return [Case(namespace[f"row_{k}"], *calls(names), title=" ".join(text.split()), traces=1)
            for k, (names, text) in enumerate(zip(parameters, texts, strict=True))]


def calls(names: list[str]) -> Iterator[tuple[Any, ...]]:
    """The arguments of the two calls."""
    return zip(*(VALUES[name] for name in names), strict=True) if names else iter([(), ()])


def function_of(text: str, parameters: list[str], **scope: Any) -> Fn:
    """The function of these parameters that a text says."""
    namespace = {**SCOPE, **scope, "__name__": "tests.corpus.numpy.text"}
    _execute(f"<{text}>", _source("row", parameters, text), namespace)
    made: Fn = namespace["row"]
    return made


def _execute(filename: str, source: str, namespace: dict[str, Any]) -> None:
    """Run generated source so that it is found again, as in a notebook."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), namespace)


def _names(text: str) -> set[str]:
    """The names that the text reads before anything else: what it needs from outside."""
    tree = ast.parse(_body(text))
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)
              and isinstance(n.ctx, ast.Store)}
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in VALUES}
    return {name for name in read if name not in stored or _is_updated(tree, name)}


def _is_updated(tree: ast.AST, name: str) -> bool:
    """Whether a name is only stored by `name += …`, so that it must come from outside."""
    plain = [t for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.For, ast.comprehension))
             for target in (n.targets if isinstance(n, ast.Assign) else [n.target])
             for t in ast.walk(target) if isinstance(t, ast.Name) and t.id == name
             and isinstance(t.ctx, ast.Store)]
    return not plain


def _body(text: str) -> str:
    lines = [line for line in text.strip("\n").splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    lines = [line[margin:] for line in lines]
    if len(lines) == 1 and "return " not in text:
        return f"return {lines[0]}"
    return "\n".join(lines)


def _source(name: str, parameters: list[str], text: str) -> str:
    inside = "\n    ".join(_body(text).splitlines())
    return f"def {name}({', '.join(parameters)}):\n    {inside}"
