"""The text of LLVM IR, piece by piece: types, values, functions of blocks, modules.

This is the part of LLVM's language that kernels use; what writes it is the time to compile them.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A type; there is one object of each.

    width    bits of an int, else 0.
    count    lanes of a vector, else 0; `element` is their type.
    parts    the types of a pair.
    """

    text: str
    width: int = 0
    count: int = 0
    element: Type | None = None
    parts: tuple[Type, ...] = ()

    def __str__(self) -> str:
        return self.text


@cache
def integer(bits: int) -> Type:
    return Type(f"i{bits}", bits)


@cache
def vector_of(element: Type, count: int) -> Type:
    return Type(f"<{count} x {element}>", 0, count, element)


@cache
def array_of(element: Type, count: int) -> Type:
    return Type(f"[{count} x {element}]", 0, 0, element)


@cache
def pair_of(first: Type, second: Type) -> Type:
    return Type(f"{{{first}, {second}}}", parts=(first, second))


BIT, BYTE, I32, I64 = map(integer, (1, 8, 32, 64))
FLOAT32, DOUBLE, POINTER, VOID, METADATA = map(Type, ("float", "double", "ptr", "void", "metadata"))


STRICT = "noinline strictfp"
"""The attributes of a function whose operations on floats keep their exceptions."""


SURE, WEIGHTS = "!prof !0", '!0 = !{!"branch_weights", i32 2000, i32 1}\n'
"""What is said of a branch that hardly ever goes to its second block: LLVM computes nothing early
that only the second one needs, and does not join its test with others."""

UNPEELED, PEELED = "!llvm.loop !1", (
    '!1 = distinct !{!1, !2}\n!2 = !{!"llvm.loop.peeled.count", i32 7}\n')
"""What is said of the branch back of a loop of which LLVM takes no first iterations out: it peels
seven at most, and these are done, it is told."""


ROLLED, UNCOPIED = "!llvm.loop !4", (
    '!4 = distinct !{!4, !5}\n!5 = !{!"llvm.loop.unroll.disable"}\n')
"""What is said of the branch back of a loop that LLVM is to make vectors of, not copies."""

TOGETHER, ALONE = "!unpredictable !3", "!3 = !{}\n"
"""What is said of a branch on a test of several parts: LLVM asks for them at once, as the processor
guesses one branch better than several."""


class Value:
    """A value: an argument, the result of an instruction, a constant.

    text  how operands name it.
    """

    __slots__ = ("text", "type")

    def __init__(self, t: Type, text: str) -> None:
        self.type = t
        self.text = text

    def __str__(self) -> str:
        return f"{self.type.text} {self.text}"


class Literal(Value):
    """A number, or the same number in all lanes; `number` None: not an int, or undefined.

    real  its real part.
    zero  True if all its bits are 0.
    """

    __slots__ = ("number", "real", "zero")

    def __init__(self, t: Type, number: complex) -> None:
        super().__init__(t, _text(t, number))
        self.real = float(number.real)
        self.zero = number == 0 and "8000" not in self.text
        self.number: int | None = signed(int(number.real), t.width) if t.width else None


def signed(number: int, bits: int) -> int:
    """Returns what an int is as one of so many bits, which wraps around."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) and bits > 1 else number


def _text(t: Type, number: complex) -> str:
    if t.parts:
        given = zip(t.parts, (number.real, number.imag), strict=True)
        return f"{{{', '.join(f'{part.text} {_text(part, x)}' for part, x in given)}}}"
    if t.count and t.element is not None:
        lane = f"{t.element.text} {_number(t.element, number.real)}"
        return f"<{', '.join([lane] * t.count)}>"
    return _number(t, number.real)


def _number(t: Type, number: float) -> str:
    """Returns the text of a number; of a float, the bits of the double."""
    if t.text not in ("float", "double"):
        return str(int(number))
    if t.text == "float":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


@cache
def word(number: int) -> Value:
    """Returns a constant of 64 bits, the same object each time."""
    return Literal(I64, number)


NULL = Value(POINTER, "null")


def undefined(t: Type) -> Value:
    return Value(t, "undef")


@cache
def metadata(text: str) -> Value:
    return Value(METADATA, f'!"{text}"')


class Phi(Value):
    """A value that depends on the block that the control came from."""

    __slots__ = ("incoming",)

    def __init__(self, t: Type, text: str) -> None:
        super().__init__(t, text)
        self.incoming: list[tuple[Value, Block]] = []

    def add_incoming(self, value: Value, block: Block) -> None:
        self.incoming.append((value, block))

    def line(self) -> str:
        ways = ", ".join(f"[{x.text}, {block.text}]" for x, block in self.incoming)
        return f"{self.text} = phi {self.type.text} {ways}"


class Block:
    """Instructions, and the one that ends them; None: there is none yet."""

    __slots__ = ("end", "function", "lines", "text")

    def __init__(self, function: Function, name: str) -> None:
        self.function = function
        self.text = f"%{name}"
        self.lines: list[str | Phi] = []
        self.end: str | None = None

    def __str__(self) -> str:
        lines = [x if type(x) is str else x.line() for x in self.lines]  # type: ignore[union-attr]
        return "\n  ".join([f"{self.text[1:]}:", *lines, self.end or "unreachable"])


RARE = "preserve_mostcc "
"""How a function is called that hardly ever is."""


class Function:
    """A function of a module; one without blocks is declared only.

    attributes  words after its parameters.
    rare        it is hardly ever called: it keeps the registers of ints as they are, so that those
                who call it need not.
    """

    def __init__(self, module: Module, result: Type, parameters: list[Type], name: str,
                 *attributes: str, internal: bool = False, rare: bool = False) -> None:
        self.module = module
        self.result = result
        self.text = f'@"{name}"'
        self.attributes = attributes
        self.internal = internal or rare
        self.convention = RARE if rare else ""
        self.args = [Value(t, f"%a{k}") for k, t in enumerate(parameters)]
        self.alone: set[Value] = set()
        """Pointers to memory that no other argument points to."""
        self.blocks: list[Block] = []
        self.count = 0
        module.functions[name] = self

    def append_basic_block(self, name: str) -> Block:
        made = Block(self, f"{name}.{len(self.blocks)}")
        self.blocks.append(made)
        return made

    def fresh(self) -> str:
        """Returns the name of a new value."""
        self.count += 1
        return f"%v{self.count}"

    def __str__(self) -> str:
        types = [x.type.text + (" noalias" if x in self.alone else "") for x in self.args]
        if not self.blocks:
            return f"declare {self.result} {self.text}({', '.join(types)})"
        given = ", ".join(f"{t} {x.text}" for t, x in zip(types, self.args, strict=True))
        internal = "internal " if self.internal else ""
        head = f"define {internal}{self.convention}{self.result} {self.text}({given})"
        return "\n".join([" ".join([head, *self.attributes, "{"]), *map(str, self.blocks), "}"])


@dataclass
class Module:
    """Functions by their names, and constants in memory."""

    name: str
    functions: dict[str, Function] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)

    def constant(self, number: Literal) -> Value:
        """Returns the pointer to a constant."""
        name = f"@constant{len(self.constants)}"
        self.constants.append(f"{name} = internal constant {number}")
        return Value(POINTER, name)

    def table(self, numbers: list[float]) -> Value:
        """Returns the pointer to floats in memory."""
        t, name = array_of(DOUBLE, len(numbers)), f"@constant{len(self.constants)}"
        given = ", ".join(str(Literal(DOUBLE, x)) for x in numbers)
        self.constants.append(f"{name} = internal constant {t} [{given}], align 64")
        return Value(POINTER, name)

    def declared(self, name: str, result: Type, parameters: list[Any]) -> Function:
        """Returns a function of LLVM's own."""
        return self.functions.get(name) or Function(self, result, parameters, name)

    def __str__(self) -> str:
        text = "\n".join([*self.constants, *map(str, self.functions.values()), ""])
        outside = [f'@"{name}" = external global i8' for name in symbols_in(text)]
        notes = [note for word, note in (
            (SURE, WEIGHTS), (UNPEELED, PEELED), (TOGETHER, ALONE),
            (ROLLED, UNCOPIED)) if word in text]
        return "\n".join([f"; ModuleID = {self.name}", *outside, text, *notes])


_SYMBOL = re.compile(r'@"(\$[^"\\]+)"')


def symbol(name: str) -> Value:
    """Returns the pointer to something of the process, which code finds by name when it is loaded.
    """
    found = Value(POINTER, f'@"${name}"')
    assert _SYMBOL.fullmatch(found.text), name
    return found


def symbols_in(text: str) -> list[str]:
    """Returns the names of the symbols in a text, each once, in order."""
    return list(dict.fromkeys(_SYMBOL.findall(text)))
