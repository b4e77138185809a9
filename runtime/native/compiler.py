"""The compiler: LLVM IR to machine code in memory, for the processor at hand."""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any, Literal

from llvmlite import binding

_lock = Lock()
_ready = False


FEW = ("sroa", "instruction_combine", "simplify_cfg", "new_gvn", "loop_rotate",
       "instruction_combine", "simplify_cfg")
"""LLVM's passes for code whose inner loops are vectors already, or calls."""

Passes = Literal["none", "few", "all"]


def compile_module(text: str, passes: Passes = "all") -> tuple[Any, int]:
    """Returns an engine, which owns the code, and the address of `kernel`.

    `passes`: LLVM's own passes that improve the text first; one of vectors has no need of them.
    """
    with _lock:
        _prepare()
        module = binding.parse_assembly(text)
        module.verify()
        machine = _target_machine(1)
        if passes != "none":
            _improve(module, machine, passes)
        engine = binding.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine, engine.get_function_address("kernel")


def _improve(module: Any, machine: Any, passes: Passes) -> None:
    """Runs passes. Loops are not unrolled: that takes longer to compile than it saves."""
    options = binding.create_pipeline_tuning_options(speed_level=1)
    options.loop_unrolling = options.loop_interleaving = False
    options.loop_vectorization = options.slp_vectorization = False
    builder = binding.create_pass_builder(machine, options)
    if passes == "all":
        builder.getModulePassManager().run(module, builder)
        return
    manager = binding.create_new_module_pass_manager()
    for name in FEW:
        getattr(manager, f"add_{name}_pass")()
    manager.run(module, builder)


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


def _target_machine(level: int) -> Any:
    target = binding.Target.from_triple(binding.get_process_triple())
    cpu, features = processor()
    return target.create_target_machine(cpu=cpu, features=features, opt=level, jit=True)
