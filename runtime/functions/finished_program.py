"""Finishes the program of a trace: checks, optimises and lowers it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from autograph.runtime.ir.closure_conversion import close_calls
from autograph.runtime.ir.program import Program
from autograph.runtime.ir.verifier import check_if_on
from autograph.runtime.lower import lower
from autograph.runtime.optimize import optimize


def finish_program(program: Program, fast_math: bool, strict: bool) -> None:
    """Checks and optimises a program in place.

    The graph's outputs become exactly the values that the program takes from it.
    """
    graph = program.graph
    later = {target for target, _ in program.write_back}.union(
        *(view.outputs for view in program.views))
    outputs: list[Any] = [x for x in program.taken() if x not in later]
    outputs += [atom for _, atom in program.write_back]
    graph.outputs = tuple(outputs)
    close_calls(graph)
    check_if_on(graph)
    program.traced = graph.copy()
    program.before = replace(program, graph=program.traced)
    exact = strict or program.catches
    program.record.exact = exact
    if program.raises:  # it runs once, and nothing of it is left out
        return
    program.record = optimize(
        graph, fast_math, strict or program.handled, exact=exact)
    lower(graph, program.record)
    check_if_on(graph)
    if program.record.renamed:
        program.rename(program.record.now)
