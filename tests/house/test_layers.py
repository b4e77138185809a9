"""Keeps the order of the packages: each imports only those above it, and imports form no circle."""

from functools import cache

from tests.house.checkout import modules
from tests.house.imports import circle, edges, package_of

LAYERS = [
    "autograph.extension_points",
    "autograph.compiled_again",
    "autograph.file_parts",
    "autograph.locks",
    "autograph.own_attributes",
    "autograph.decorated",
    "autograph.weak_id_dict",
    "autograph.suggestions",
    "autograph.source_lines",
    "autograph.traceback_filter",
    "autograph.libraries",

    "autograph.runtime.ir",
    "autograph.runtime.diagnostics",
    "autograph.runtime.disk",
    "autograph.runtime.ops",
    "autograph.runtime.references",
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
    "autograph.ported",
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


@cache
def all_edges() -> list[tuple[str, str]]:
    """The imports of the product, also those that wait until a function runs."""
    return sorted(set(edges(deferred=True)))


def test_modules_belong_to_a_layer() -> None:
    assert [name for name in sorted(modules()) if package_of(name) not in LAYERS] == []


def test_imports_go_up() -> None:
    assert [edge for edge in all_edges() if not _goes_up(*edge)] == []


def _goes_up(importer: str, imported: str) -> bool:
    source, target = package_of(importer), package_of(imported)
    return LAYERS.index(source) >= LAYERS.index(target) and not (
        source in COMPILER and target.startswith("autograph.runtime"))


def test_operators_import_next_to_nothing() -> None:
    """They say what Python means; nothing of ours helps but the extension points, tracebacks and
    locks."""
    assert {target for source, target in all_edges() if source.startswith("autograph.operators")
            and not target.startswith("autograph.operators")} == {
        "autograph.extension_points", "autograph.locks", "autograph.traceback_filter"}


def test_no_top_level_runtime_or_tools() -> None:
    assert [edge for edge in all_edges() if edge[1].split(".")[0] in ("runtime", "tools")] == []


def test_imports_form_no_circle() -> None:
    """Inside packages as well; imports that wait until a function runs count, too."""
    assert circle(all_edges()) == []
