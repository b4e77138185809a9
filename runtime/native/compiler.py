"""The compiler: LLVM IR to machine code in memory, for the processor at hand."""

from __future__ import annotations

from threading import Lock
from typing import Any

from llvmlite import binding

_lock = Lock()
_ready = False


def compile_module(text: str, passes: bool = True) -> tuple[Any, int]:
    """Returns an engine, which owns the code, and the address of `kernel`.

    `passes`: LLVM's own passes improve the text first; one of vectors has no need of them.
    """
    with _lock:
        _prepare()
        module = binding.parse_assembly(text)
        module.verify()
        machine = _target_machine(2 if passes else 1)
        if passes:
            builder = binding.create_pass_builder(
                machine, binding.create_pipeline_tuning_options(speed_level=2))
            builder.getModulePassManager().run(module, builder)
        engine = binding.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine, engine.get_function_address("kernel")


def _prepare() -> None:
    global _ready
    if not _ready:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        _ready = True


def _target_machine(level: int) -> Any:
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(),
        opt=level, jit=True)
