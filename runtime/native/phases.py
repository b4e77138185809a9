"""Phases: the order in which a loop nest does its instructions."""

from __future__ import annotations

from autograph.runtime.native.extents import Extent, Lengths, extent_of
from autograph.runtime.native.loop_nest import (
    ON_LANES,
    REDUCING,
    Instruction,
    Phase,
    Register,
    Span,
    Stage,
)

ROW = 16
"""Elements of a row from which on one number for the row is worth more than copies of it."""


def enter_rows(shape: Lengths, by_rows: bool | None, inputs: list[list[Register]]) -> bool | None:
    """Makes numbers of the row of inputs that are the same along it, if a nest runs over rows.
    Returns True if it does, and None if nothing is a number of a row."""
    repeated = [r for rs in inputs for r in rs
                if r.span is Span.LANES and r.window and not r.window.steps[-1]]
    length = extent_of(shape[-1:])
    if by_rows is None and (length.open or length.each >= ROW) and repeated:
        by_rows = True
    for r in repeated if by_rows and length != Extent(1) else ():
        assert r.window is not None
        r.span, r.window = Span.ROW, r.window.at(0)
    return by_rows


def needed(instructions: list[Instruction], wanted: set[Register]) -> list[Instruction]:
    """Returns the instructions that make what is wanted: every equation, for one whose result
    nothing uses is in the graph for its warnings.
    """
    found = []
    for i in reversed(instructions):
        if i.out in wanted:
            wanted.update(i.registers())
            found.append(i)
    return found[::-1]


def phases_of(instructions: list[Instruction]) -> list[Phase]:
    """Orders instructions: by phase, by stage, lanes before calls."""
    at: dict[Register, tuple[int, int]] = {}
    phases: list[Phase] = []
    for i in instructions:
        phase, stage = max((at.get(r, (0, 0)) for r in i.registers()), default=(0, 0))
        while len(phases) <= phase:
            phases.append(Phase())
        if i.out.span is Span.ROW and i.how not in REDUCING:
            phase = max(phase - 1, 0)
            phases[phase].after.append(i)
            at[i.out] = (phase + 1, 0)
            continue
        stages = phases[phase].stages
        while len(stages) <= stage:
            stages.append(Stage())
        if i.how in ON_LANES:
            stages[stage].lanes.append(i)
            at[i.out] = (phase + 1, 0) if i.how == "total" else (phase, stage)
        else:
            stages[stage].calls.append(i)
            at[i.out] = (phase + 1, 0) if i.how == "reduce" else (phase, stage + 1)
    return phases
