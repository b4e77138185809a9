"""Keeps the order of the packages: each imports only those above it, and imports form no circle."""

import pytest

from tests.house.checkout import modules
from tests.house.imports import circle, edges, package_of

LAYERS = [
    "autograph.extension_points",

    "autograph.runtime.ir",
    "autograph.runtime.diagnostics",
    "autograph.runtime.ops",
    "autograph.runtime.drawings",
    "autograph.runtime.symbolic",
    "autograph.runtime.heap",
    "autograph.runtime.tensor_methods",
    "autograph.runtime.replacements",
    "autograph.runtime.control_flow",
    "autograph.runtime.signatures",
    "autograph.runtime.differentiate",
    "autograph.runtime.optimize",
    "autograph.runtime.kernels",
    "autograph.runtime.lower",
    "autograph.runtime.native",
    "autograph.runtime.interpret",
    "autograph.runtime.codegen",
    "autograph.runtime.functions",
    "autograph.runtime.serialize",
    "autograph.runtime.export",
    "autograph.runtime.api",
    "autograph.runtime",

    "autograph.syntax",
    "autograph.operators",
    "autograph.printer",
    "autograph.analysis",
    "autograph.passes",
    "autograph.conversion",

    "autograph.staging",
    "autograph.explain",
    "autograph.function",
    "autograph.gradients",
    "autograph.tensorflow",
    "autograph.checking",
    "autograph",
    "autograph.tools",
    "autograph.__main__",
]
"""A package imports those above it, and none below."""

COMPILER = LAYERS[LAYERS.index("autograph.syntax"):LAYERS.index("autograph.staging")]
"""The compiler's half: it knows nothing of the runtime. The two halves meet in `staging`."""

EDGES = sorted(set(edges(deferred=True)))


@pytest.mark.parametrize("name", sorted(modules()))
def test_module_belongs_to_a_layer(name: str) -> None:
    assert package_of(name) in LAYERS


@pytest.mark.parametrize(("importer", "imported"), EDGES)
def test_import_goes_up(importer: str, imported: str) -> None:
    source, target = package_of(importer), package_of(imported)
    assert LAYERS.index(source) >= LAYERS.index(target)
    assert source not in COMPILER or not target.startswith("autograph.runtime")


def test_operators_import_next_to_nothing() -> None:
    """They say what Python means; nothing of ours but the extension points and tracebacks helps."""
    assert {target for source, target in EDGES if source.startswith("autograph.operators")
            and not target.startswith("autograph.operators")} == {
        "autograph.extension_points", "autograph.syntax.traceback_filter"}


def test_no_top_level_runtime_or_tools() -> None:
    assert [edge for edge in EDGES if edge[1].split(".")[0] in ("runtime", "tools")] == []


def test_imports_form_no_circle() -> None:
    """Inside packages as well; imports that wait until a function runs count, too."""
    assert circle(EDGES) == []
