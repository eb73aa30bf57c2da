"""Earlier methods under their own names, as the paper's Component Evaluation says."""

import pytest

from kalos_core import METHODS, KalosError, compute_agreement, method

NAMED = {
    "kalos": "KαLOS(box_iou, τ=0.5, S=Greedy, ψ_soft)",
    "tschirschwitz2022": "KαLOS(box_iou, τ=0.5, S=SHM, ψ_neg)",
    "amgad2022": "KαLOS(box_iou, τ=0.5, S=AHC, ψ_neg)",
}

# Boxes of 10 by 10 in three places, named by their left edge.
CLASSES = ["ana: dog 0 0 10 10", "ana: cat 3 0 10 10", "ben: cat 0 0 10 10"]
CHAIN = ["ana: cat 0 50 10 10", "ben: cat 2 50 10 10", "cho: cat 5 50 10 10"]
CROSS = [
    "ana: cat 50 0 10 10",
    "ana: cat 53 0 10 10",
    "ben: cat 52 0 10 10",
    "ben: cat 55 0 10 10",
]
UNITS = {
    # ψ_soft joins the cats; the ends of the chain may be far apart; the nearest two,
    # 52 and 53, leave nothing in reach of the others.
    "kalos": ["0dog", "3cat 0cat", "0 2 5", "53 52", "50", "55"],
    # ψ_neg joins what is nearest; as many as possible are matched.
    "tschirschwitz2022": ["0dog 0cat", "3cat", "0 2 5", "50 52", "53 55"],
    # All of a unit are within tau, so that the chain breaks.
    "amgad2022": ["0dog 0cat", "3cat", "0 2", "5", "53 52", "50", "55"],
}


def test_all_methods_are_tested():
    assert set(METHODS) == set(NAMED) == set(UNITS)
    with pytest.raises(KalosError, match="unknown method 'kappa'; choose from amgad2"):
        method("kappa")


@pytest.mark.parametrize("name", NAMED)
def test_a_method_is_a_solver_and_a_cost(name):
    assert str(method(name)) == NAMED[name]
    assert method(name, "mask_iou", 0.25).d_loc == "mask_iou"
    assert method(name, "mask_iou", 0.25).tau == 0.25


@pytest.mark.parametrize("name", UNITS)
def test_methods_differ_in_their_units(annotations, name):
    made = annotations(*CLASSES, *CHAIN, *CROSS)
    unit_of = compute_agreement(made, method(name)).reliability.unit_of
    units = {}
    for n, unit in enumerate(unit_of.tolist()):
        left, top = (made.geometry.xywh[n, :2] * 100).round().astype(int).tolist()
        label = made.classes[made.label[n]] if top == 0 and left < 50 else ""
        units.setdefault(unit, []).append(f"{left}{label}")
    assert sorted(" ".join(unit) for unit in units.values()) == sorted(UNITS[name])
