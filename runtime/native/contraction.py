"""Contraction: a product and the sum that it goes into are one instruction, with one rounding.

For `fast_math=True`. In the nest, so that every element of an array is computed alike.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.runtime.native.compiler import multiplies_and_adds
from autograph.runtime.native.lanes import Lanes
from autograph.runtime.native.loop_nest import Instruction, Operand, Register


@dataclass(frozen=True, slots=True)
class MultiplyAdd:
    """An instruction of three operands: a * b + c, of which some are taken negative."""

    less_product: bool = False
    less_rest: bool = False

    @property
    def __name__(self) -> str:
        return f"{'-' * self.less_product}ab{'-' if self.less_rest else '+'}c"

    def write(self, lanes: Lanes, a: Any, b: Any, c: Any) -> Any:
        builder = lanes.builder
        a, c = (builder.fneg(x) if less else x
                for x, less in ((a, self.less_product), (c, self.less_rest)))
        return lanes.intrinsic("fma", a.type, [a, b, c])


def contracted(instructions: list[Instruction], outputs: list[Register]) -> list[Instruction]:
    """Returns instructions in which products of floats that only one sum or difference takes are
    part of that."""
    if not multiplies_and_adds():
        return instructions
    uses = Counter(a for i in instructions for a in i.args if isinstance(a, Register))
    uses.update(outputs)
    products = {i.out: _factors(i) for i in instructions if _is_product(i) and uses[i.out] == 1}
    found, taken = [], set()
    for i in instructions:
        k = next((k for k, a in enumerate(i.args) if a in products and _takes(i, a)), None)
        if k is None:
            found.append(i)
            continue
        product, rest = i.args[k], i.args[1 - k]
        assert isinstance(product, Register)
        less = i.what is np.subtract
        what = MultiplyAdd(less and k == 1, less and k == 0)
        found.append(Instruction("lanes", what, i.out, (*products[product], rest), i.location))
        taken.add(product)
    return [i for i in found if i.out not in taken]


def _is_product(i: Instruction) -> bool:
    return i.how == "lanes" and i.what in (np.multiply, np.square) and i.out.dtype.kind == "f"


def _factors(i: Instruction) -> tuple[Operand, Operand]:
    return i.args[0], i.args[-1]


def _takes(i: Instruction, product: Any) -> bool:
    """Returns True for a sum that is computed as often as the product."""
    return i.how == "lanes" and i.what in (np.add, np.subtract) and len(i.args) == 2 and (
        product.dtype == i.out.dtype and product.span is i.out.span)
