"""Who may import whom, read off the source."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Lower levels first; a module imports from the levels below its own only.
LEVELS = (
    {"errors", "version", "plain", "progress", "natural_order", "geometry.digest"},
    {"arrays", "registry", "checks", "interpretation"},
    {"intervals", "noise.laws", "noise.transition", "noise.visible"},
    {"noise.parameters", "noise.fitting.estimate", "noise.fitting.von_mises"},
    {
        "noise.confusion_tests",
        "noise.fitting.beta",
        "noise.fitting.children",
        "noise.fitting.circular_tests",
        "noise.fitting.folded_sample",
        "noise.fitting.glm",
        "noise.fitting.mixture",
        "noise.fitting.proportion",
        "noise.fitting.selection",
        "noise.fitting.temperature",
    },
    {
        "noise.fitting.folded_t",
        "noise.fitting.logistic",
        "noise.fitting.mixture_intervals",
        "noise.fitting.poisson",
    },
    {"noise.fitting.direction", "noise.fitting.poisson_sampling"},
    {"ranges", "noise.shift", "noise.confusable", "noise.cohort"},
    {"noise.sampling"},
    {"noise.candidates"},
    {"geometry.shapes", "geometry.raster", "geometry.edges"},
    {"geometry.boxes", "geometry.polygons", "geometry.keypoints", "geometry.crops"},
    {"geometry.features"},
    {"geometry.masks", "geometry.volumes"},
    {"geometry"},
    {"annotations", "model", "noise.carry", "noise.moved"},
    {"noise.drawn"},
    {"noise.simulated", "noise.tally"},
    {"readers.document", "readers.names"},
    {"readers.table"},
    {"readers.coco_rows", "readers.coco_shapes", "readers.lidc", "readers.yolo"},
    {"readers.coco"},
    {"readers.coco_per_rater"},
    {"readers"},
    {"distances", "costs", "alpha", "methods"},
    {"pairs", "reliability", "class_sums", "column_sums", "solvers.components"},
    {"measured", "resampling", "copies", "rater_weights", "votes"},
    {"noise.proposals"},
    {"noise.scene"},
    {"noise.unmatched", "noise.topology", "noise.category", "noise.localization"},
    {"noise.rater"},
    {"noise.generator"},
    {"noise.signal_loss"},
    {"noise"},
    {"medoid", "mean_shape"},
    {"consensus"},
    {"calibration.disagreement", "calibration.ks", "calibration.density"},
    {"calibration.threshold", "calibration.by_image"},
    {"calibration.separation"},
    {"calibration.calibrate"},
    {"calibration.bootstrap"},
    {"calibration.strata"},
    {"calibration.advice"},
    {"calibration"},
    {"estimates", "solvers.greedy", "solvers.shm", "solvers.ahc", "solvers.mgm"},
    {"solvers"},
    {"agreement"},
    {"rematch", "what_if"},
    {"diagnostics.collaboration", "diagnostics.dropped", "diagnostics.splits"},
    {"diagnostics.relabelling"},
    {
        "diagnostics.budget",
        "diagnostics.class_difficulty",
        "diagnostics.looseness",
        "diagnostics.intra",
        "diagnostics.schools",
        "diagnostics.vitality",
        "diagnostics.sensitivity",
        "diagnostics.tally",
        "diagnostics.within_budget",
    },
    {"diagnostics.repair", "diagnostics.dissent"},
    {"diagnostics.split_merge", "diagnostics.loose", "diagnostics.swap_tests"},
    {"diagnostics.bonds"},
    {"diagnostics.kinds", "diagnostics.swaps", "diagnostics.comparison"},
    {"diagnostics.confusion", "diagnostics.distribution", "diagnostics.per_image"},
    {"diagnostics.reasons"},
    {"diagnostics.diagnose", "diagnostics.column_comparison", "diagnostics.queue"},
    {"diagnostics"},
    {"noise.error_types"},
    {"noise.pairing"},
    {"noise.differences", "noise.fit_table"},
    {"noise.components", "noise.known"},
    {"noise.fit"},
    {"noise"},
    {"reference_layout"},
)
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}

PACKAGES = {"numpy", "scipy", "shapely", "pylibmgm", "emcee"}
STANDARD = {
    "kalos_core": {
        "__future__",
        "collections",
        "contextlib",
        "copy",
        "dataclasses",
        "functools",
        "hashlib",
        "itertools",
        "json",
        "logging",
        "math",
        "numbers",
        "pathlib",
        "re",
        "threading",
        "typing",
        "warnings",
    },
}


def modules(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT / package).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


def imports(path):
    """Yield (dots, module) of every import of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [n.name for n in node.names]
            for name in names:
                yield node.level, name
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield 0, name.name


CORE = [(name, path) for name, path in modules("kalos_core") if name]


@pytest.mark.parametrize(("name", "path"), CORE, ids=[name for name, _ in CORE])
def test_the_core_imports_downwards_and_no_framework(name, path):
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for dots, imported in imports(path):
        if not dots:
            top = imported.split(".")[0]
            assert top in PACKAGES | STANDARD["kalos_core"], f"{name} imports {top}"
            continue
        parts = package.split(".") if package else []
        base = parts[: len(parts) - (dots - 1)]
        target = ".".join([*base, imported])
        assert LEVEL[target] < LEVEL[name], f"{name} imports {target}"


@pytest.mark.parametrize("package", ["operators", "panels", "demo"])
def test_the_plugin_imports_relatively(package):
    own = {"operators", "panels", "demo", "kalos_core", "scripts", "tests"}
    for name, path in modules(package):
        for dots, imported in imports(path):
            assert dots or imported.split(".")[0] not in own, f"{package}.{name}"


READING = {
    "runs",
    "calibrations",
    "disagreement",
    "inspection",
    "palette",
    "markdown",
    "schema",
    "what_if",
}
"""What panels may use of the operators: what is there, views, colours and text."""


def test_panels_read_runs_and_write_nothing():
    for name, path in modules("panels"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                package, *file = node.module.split(".")
                used = file[:1] or [imported.name for imported in node.names]
                assert package == "kalos_core" or READING.issuperset(used), name


@pytest.mark.parametrize(
    "path", (ROOT / "panels").glob("*figures.py"), ids=lambda path: path.stem
)
def test_figures_do_without_fiftyone(path):
    found = [imported for _, imported in imports(path)]
    assert found
    assert not any(imported.startswith("fiftyone") for imported in found)
