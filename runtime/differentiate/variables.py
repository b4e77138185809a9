"""Adjoints and tangents of variables: the cotangent of a variable is that of the value it holds.

A read adds to it. A write hands it to the value that was written, and leaves zero for what the
variable held before, so that in the end the variable's cotangent is that of its first value. In
forward mode the tangent of a variable is that of what was written last.
"""

from __future__ import annotations

from autograph.runtime.differentiate.forward import Walk, tangent_of
from autograph.runtime.differentiate.indexing import is_basic
from autograph.runtime.differentiate.reverse import Sweep, adjoint_of, operands_of
from autograph.runtime.ir.graph import Equation
from autograph.runtime.symbolic.tensor import apply


@adjoint_of("read_variable")
def read(sweep: Sweep, e: Equation) -> None:
    """Adds to the variable's cotangent."""
    (g,) = sweep.taken(e)
    sweep.cotangents.add(e.args[0], g, sweep.is_padded(e))


@adjoint_of("variable_item")
def item(sweep: Sweep, e: Equation) -> None:
    """Adds to an item of the variable's cotangent."""
    variable, index = e.args[:2]
    (g,) = sweep.taken(e)
    if sweep.wants(variable):
        old, at = sweep.cotangents.of(variable), operands_of(index)
        made = apply("setitem", old, at, apply("getitem", old, at) + g) if is_basic(index) else (
            apply("add_at", old, at, g))
        sweep.cotangents.add(variable, made, True)


@adjoint_of("assign_variable")
@adjoint_of("initialise_variable")
def assign(sweep: Sweep, e: Equation) -> None:
    """The value gets the variable's cotangent."""
    variable, value = e.args
    g = sweep.cotangents.take(variable)
    sweep.cotangents.add(value, g, variable in sweep.cotangents.padded)


@adjoint_of("set_variable_item")
def assign_item(sweep: Sweep, e: Equation) -> None:
    """The value gets what stands at the index, where zero is left."""
    variable, index, value = e.args
    g = sweep.cotangents.of(variable)
    at = operands_of(index)
    sweep.cotangents.add(value, apply("getitem", g, at), True)
    sweep.cotangents.put(variable, apply("setitem", g, at, 0.0))


# -- forward mode ---------------------------------------------------------------------------------


@tangent_of("read_variable")
def tangent_of_read(walk: Walk, e: Equation) -> None:
    """The tangent of what the variable holds."""
    walk.put(e.outputs[0], walk.of(e.args[0]))


@tangent_of("variable_item")
def tangent_of_item(walk: Walk, e: Equation) -> None:
    """The item of the tangent."""
    t = walk.of(e.args[0])
    if t is not None:
        walk.put(e.outputs[0], apply("getitem", t, operands_of(e.args[1])))


@tangent_of("assign_variable")
@tangent_of("initialise_variable")
def tangent_of_assign(walk: Walk, e: Equation) -> None:
    """The variable has the tangent of the value from here on."""
    variable, value = e.args
    walk.tangents.pop(variable, None)
    walk.put(variable, walk.of(value))


@tangent_of("set_variable_item")
def tangent_of_assign_item(walk: Walk, e: Equation) -> None:
    """The tangent of the value stands at the index."""
    variable, index, value = e.args
    t = walk.of(value)
    walk.put(variable, apply("setitem", walk.dense(variable), operands_of(index),
                             0.0 if t is None else t))
