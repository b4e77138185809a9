"""The compiler: LLVM IR to machine code in memory, for the processor at hand."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import cache
from threading import Thread
from typing import Any, Literal
from weakref import WeakValueDictionary

from llvmlite import binding

from autograph.locks import new_lock
from autograph.runtime.disk.cache import find, keep, key_of
from autograph.runtime.native.object_files import is_object_file
from autograph.runtime.native.symbols import addresses_of

_lock = new_lock()
_ready = False

_waiting: list[Callable[[], object]] = []

THREAD = "compiles for machine code"

_llvm: Any = getattr(binding.ffi.lib, "_lock", nullcontext())
"""What llvmlite holds while it calls LLVM: also where an engine goes that nothing uses."""


def _begin_fork() -> None:
    """Waits until no other thread is in LLVM: it would leave it so in the forked process."""
    _lock.acquire()
    _llvm.__enter__()


def _end_fork() -> None:
    _llvm.__exit__(None, None, None)
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_begin_fork, after_in_parent=_end_fork, after_in_child=_end_fork)

_engines: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""What was compiled and is still used: kernels of one text share their code."""


FEW = ("sroa", "instruction_combine", "simplify_cfg", "loop_rotate", "instruction_combine",
       "simplify_cfg")
"""LLVM's passes for code whose inner loops are vectors already, or calls. `new_gvn` is not among
them: it ends the process where many loops are nested."""

RECIPE = 6
"""Of machine code in the cache on disk. It grows when `_machine_code` makes other code of the same
text."""

Passes = Literal["entry", "none", "few", "all"]


def compile_module(text: str, passes: Passes = "all", name: str = "kernel") -> tuple[Any, int]:
    """Returns an engine, which owns the code, and the address of a function.

    The code is that of another kernel of the same text, or is taken from the cache on disk, if
    there is one: the text but for its comments, the passes, the version of LLVM and the processor
    are all that it depends on.

    `passes`: LLVM's own passes that improve the text first; one of vectors has no need of them.
    That of an entry, which runs once in a call, is written down as it is: in half the time.
    """
    with _lock:
        _prepare()
        made_by = f"{RECIPE} {FEW} {binding.llvm_version_info} {binding.get_process_triple()}"
        key = key_of("machine code", made_by, *processor(), passes, without_comments(text))
        engine = _engines.get(key)
        if engine is None:
            code = find(key)
            if code is None or not is_object_file(code):  # nothing of ours is kept like that
                code = _machine_code(text, passes)
                keep(key, code)
            engine = _engines[key] = _loaded(code, text)
    with suppress(RuntimeError):  # at the end of the process no thread begins
        while _waiting:
            Thread(target=_waiting.pop(), name=THREAD).start()
    return engine, engine.get_function_address(name)


def later(work: Callable[[], object]) -> None:
    """Does work in a thread, once the next module stands."""
    _waiting.append(work)


def without_comments(text: str) -> str:
    """Returns LLVM IR without the lines that are comments.

    >>> without_comments("; line 3: y = x\\n  ret void\\n")
    '  ret void\\n'
    """
    return "".join(line for line in text.splitlines(keepends=True)
                   if not line.lstrip().startswith(";"))


def _machine_code(text: str, passes: Passes) -> bytes:
    """Returns a module as the bytes of an object file, in which the symbols are open."""
    module = binding.parse_assembly(text)
    module.verify()
    machine = _emitter(int(passes != "entry"))
    if passes in ("few", "all"):
        _improve(module, machine, passes, text)
    return bytes(machine.emit_object(module))


@cache
def _emitter(level: int) -> Any:
    """Returns what emits machine code: to make it takes two milliseconds."""
    return _target_machine(level)


def _loaded(code: bytes, text: str) -> Any:
    """Returns the engine of an object file; the symbols are those that the text refers to, in this
    process. An engine is made of a module, which it would compile, too: four times as long as it
    takes to load the object file."""
    for name, address in addresses_of(text):
        binding.add_symbol(name, address)
    empty = binding.parse_assembly("")
    engine = binding.create_mcjit_compiler(empty, _loader())
    engine.remove_module(empty)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def with_memory(text: str) -> list[str]:
    """Returns the names of the functions that keep numbers in memory of their own: the others are
    as LLVM's passes would leave them."""
    functions = text.split("\ndefine ")[1:]
    return [f.partition('@"')[2].partition('"')[0] for f in functions if " = alloca " in f]


def _improve(module: Any, machine: Any, passes: Passes, text: str) -> None:
    """Runs passes. Loops are not vectorised: operations on floats keep their exceptions, and LLVM
    does not take those."""
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.loop_interleaving = True
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = binding.create_pass_builder(machine, options)
    if passes == "all":
        builder.getModulePassManager().run(module, builder)
        return
    manager = binding.create_new_function_pass_manager()
    for name in FEW:
        getattr(manager, f"add_{name}_pass")()
    for name in with_memory(text):
        manager.run(module.get_function(name), builder)


def _prepare() -> None:
    global _ready
    if not _ready:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        _ready = True


@cache
def processor() -> tuple[str, str]:
    """Returns the name of the processor and its features; to ask for them takes half a
    millisecond."""
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


def multiplies_and_adds() -> bool:
    """Returns True if the processor multiplies and adds with one rounding."""
    return "+fma" in processor()[1].split(",") or platform.machine() == "aarch64"


def _target_machine(level: int) -> Any:
    cpu, features = processor()
    return _target().create_target_machine(cpu=cpu, features=features, opt=level, jit=True)


def _loader() -> Any:
    """Returns what an engine needs that makes no code: it takes a third of the time."""
    return _target().create_target_machine(opt=1, jit=True)


def _target() -> Any:
    return binding.Target.from_triple(binding.get_process_triple())
