"""What is wrong with a unit, by hand, and whatever the order of raters and files."""

import json

import numpy as np
import pytest

from kalos_core import Annotations, Boxes, Configuration, compute_agreement
from kalos_core.diagnostics.kinds import DISAGREEMENTS, KINDS, count_kinds, unit_kinds
from kalos_core.plain import plain
from kalos_core.resampling import Resampling

BOX, NEAR, FAR = "0 0 10 10", "1 0 10 10", "2 0 10 10"  # IoU 1, 9/11, 8/12
NAMES = ("ana", "ben", "cho", "dan", "eva")


def kinds_of(made, **options):
    agreement = compute_agreement(made, Configuration())
    return agreement, unit_kinds(made, agreement, **options)


def one_unit(annotations, *said):
    """Return the kinds of image x, where each rater says so; None: not assigned."""
    lines = [f"y {name}:" for name in NAMES]
    for name, what in zip(NAMES, said, strict=False):
        if what is not None:
            lines.append(f"x {name}: {what}")
    made = annotations(*lines)
    agreement, kinds = kinds_of(made)
    (unit,) = np.flatnonzero(agreement.reliability.image_of == 0)
    held = [
        n for n, holds in zip(DISAGREEMENTS, kinds.holds, strict=True) if holds[unit]
    ]
    who = kinds.outlier[unit]
    return kinds.kind[unit], held, made.raters[who] if who >= 0 else None


CAT, DOG, COW = (f"{label} {BOX}" for label in ("cat", "dog", "cow"))
CASES = {
    "two agree": ([CAT, CAT], "agreed", [], None),
    "five agree": ([CAT] * 5, "agreed", [], None),
    "one of two": ([CAT, ""], "missed", ["missed"], None),
    "one of three misses": ([CAT, "", CAT], "missed", ["missed"], "ben"),
    "one of three draws": (["", "", CAT], "missed", ["missed"], "cho"),
    "two of four": ([CAT, CAT, "", ""], "missed", ["missed"], None),
    "one of five misses": ([CAT, CAT, CAT, "", CAT], "missed", ["missed"], "dan"),
    "two classes of two": ([CAT, DOG], "class", ["class"], None),
    "one dog": ([DOG, CAT, CAT], "class", ["class"], "ana"),
    "one dog of five": ([CAT, CAT, CAT, CAT, DOG], "class", ["class"], "eva"),
    "two dogs": ([DOG, CAT, CAT, DOG], "class", ["class"], None),
    "three classes": ([DOG, CAT, COW], "class", ["class"], None),
    "a dog and a miss": ([DOG, CAT, ""], "missed", ["missed", "class"], None),
    "a dog, a miss, two cats": (
        [DOG, CAT, CAT, ""],
        "missed",
        ["missed", "class"],
        None,
    ),
    "near": ([CAT, f"cat {NEAR}"], "agreed", [], None),
    "far": ([CAT, f"cat {FAR}"], "loose", ["loose"], None),
    "one of three far": ([f"cat {FAR}", CAT, CAT], "loose", ["loose"], "ana"),
    "one of five far": (
        [CAT, CAT, f"cat {FAR}", CAT, CAT],
        "loose",
        ["loose"],
        "cho",
    ),
    "a chain": ([CAT, f"cat {NEAR}", f"cat {FAR}"], "loose", ["loose"], None),
    "two far of four": (
        [CAT, CAT, f"cat {FAR}", f"cat {FAR}"],
        "loose",
        ["loose"],
        None,
    ),
    "far and missed": (
        [CAT, f"cat {FAR}", ""],
        "missed",
        ["missed", "loose"],
        "cho",
    ),
    "far and class": ([CAT, f"dog {FAR}"], "class", ["class"], None),
    "unassigned": ([CAT, None, "", None, None], "missed", ["missed"], None),
    "unassigned, three left": ([DOG, None, CAT, None, CAT], "class", ["class"], "ana"),
    "only one asked": ([None, None, CAT], "undefined", [], None),
    "empty": (["", ""], "agreed", [], None),
    "empty for the only one": (["", None], "undefined", [], None),
}


@pytest.mark.parametrize("case", CASES)
def test_one_unit_by_hand(annotations, case):
    said, *expected = CASES[case]
    kind, held, outlier = one_unit(annotations, *said)
    assert [kind, held, outlier] == expected


def test_strict_tau_is_half_of_tau_or_as_given(annotations):
    made = annotations(f"ana: {CAT}", f"ben: cat {FAR}")
    _, kinds = kinds_of(made)
    assert (kinds.strict_tau, kinds.kind.tolist()) == (0.25, ["loose"])
    assert kinds_of(made, strict_tau=0.34)[1].kind.tolist() == ["agreed"]


def test_gain_by_hand(annotations):
    # x: (cat cat) (cat dog): n = 4, n_cat = 3, n_dog = 1, alpha (3 * 2 - 6) / (12 - 6).
    # Were the second agreed, only cats were left. y is empty, z has one rater.
    made = annotations(
        *(f"x {r}: cat 0 0 10 10" for r in ("ana", "ben")),
        "x ana: cat 50 50 10 10",
        "x ben: dog 50 50 10 10",
        *("y ana:", "y ben:", "z ana: cat 0 0 10 10"),
    )
    agreement, kinds = kinds_of(made)
    assert agreement.alpha[0] == 0
    assert kinds.kind.tolist() == ["agreed", "class", "agreed", "undefined"]
    assert kinds.gain[:3].tolist() == [0, 1, 0]
    assert np.isnan(kinds.gain[3])


def test_counts_and_shares(annotations):
    lines = []
    for n in range(6):
        lines += [f"{n} ana: {CAT}", f"{n} ben: {CAT if n % 3 else DOG}"]
    made = annotations(*lines, "e ana:", "e ben:", "s ana: cat 0 0 10 10", "t ana:")
    agreement, kinds = kinds_of(made)
    drawn_from = ~np.isnan(agreement.alpha)
    counts = count_kinds(kinds, agreement.reliability, Resampling(drawn_from, 500, 0))
    found = dict(zip(counts.kind, counts.n_units.tolist(), strict=True))
    assert tuple(counts.kind) == KINDS
    expected = {"class": 2, "agreed": 5, "undefined": 2}
    assert found == {kind: expected.get(kind, 0) for kind in KINDS}
    assert counts.n_empty == 1
    share = counts.share
    assert share.value[:5] == pytest.approx([0, 0, 2 / 7, 0, 5 / 7])
    assert np.isnan(share.value[5])
    assert share.n_images.tolist() == [7, 7, 7, 7, 7, 0]
    low, high = share.low[2], share.high[2]
    assert 0 <= low < 2 / 7 < high < 1
    assert json.loads(json.dumps(plain(counts)))["share"]["value"][5] is None


def test_one_image_has_shares_but_no_interval(annotations):
    agreement, kinds = kinds_of(annotations(f"ana: {CAT}", f"ben: {DOG}"))
    sampled = Resampling(np.array([True]), 50, 0)
    counts = count_kinds(kinds, agreement.reliability, sampled)
    assert counts.share.value[2] == 1
    assert np.isnan([counts.share.low, counts.share.high]).all()


def test_nothing_at_all(annotations):
    _, kinds = kinds_of(annotations("ana:"))
    assert kinds.kind.tolist() == ["undefined"]
    assert np.isnan(kinds.gain).all()
    empty = Annotations([], [], [], Boxes([]), [], np.ones((0, 2)), [], ["a", "b"], [])
    assert len(kinds_of(empty)[1].kind) == 0
    nobody = Annotations([], [], [], Boxes([]), [], np.ones((1, 0)), ["x"], [], [])
    assert len(kinds_of(nobody)[1].kind) == 0


def scattered(seed, order=None, back=None):
    """Return random labels of four raters, in that order and with raters renamed.

    Coordinates are few, so that there are ties; some draw an object in two halves.
    """
    rng, n_raters = np.random.default_rng(seed), 4
    rows = []
    for image, place, rater in np.ndindex(4, 9, n_raters):
        x, y = divmod(place, 3)
        label = int(rng.random() < 0.15)
        box = [0.3 * x + rng.choice([0, 0, 0, 0.03]), 0.3 * y, 0.2, 0.2]
        said = rng.random()
        halves = [[*box[:2], 0.1, 0.2], [box[0] + 0.1, box[1], 0.1, 0.2]]
        for own in [] if said < 0.05 else halves if said < 0.1 else [box]:
            rows.append((image, rater, label, own))
    image, rater, label, xywh = (np.array(c) for c in zip(*rows, strict=True))
    assigned = np.ones((5, n_raters), bool)
    assigned[3, 0] = False
    kept = assigned[image, rater]
    order = np.arange(kept.sum()) if order is None else order(kept.sum())
    back = np.arange(n_raters) if back is None else back
    return Annotations(
        image=image[kept][order],
        rater=back[rater][kept][order],
        label=label[kept][order],
        geometry=Boxes(xywh[kept][order]),
        annotation_id=[f"{n:03}" for n in range(len(order))],
        assigned=assigned[:, np.argsort(back)],
        images=["v", "w", "x", "y", "z"],
        raters=[f"r{r}" for r in range(n_raters)],
        classes=["cat", "dog"],
    )


def found(made, back):
    """Return what was found for each unit, by what its labels are."""
    agreement, kinds = kinds_of(made)
    first = np.argsort(back)
    rows = []
    for unit in range(len(kinds.kind)):
        own = np.flatnonzero(agreement.reliability.unit_of == unit)
        labels = sorted(
            (int(first[made.rater[k]]), int(made.label[k]), *made.geometry.xywh[k])
            for k in own
        )
        who = int(kinds.outlier[unit])
        rows.append(
            (
                int(agreement.reliability.image_of[unit]),
                labels,
                kinds.kind[unit],
                kinds.holds[:, unit].tolist(),
                int(first[who]) if who >= 0 else None,
                round(float(kinds.gain[unit]), 12) + 0.0,
            )
        )
    return sorted(rows, key=str)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_raters_and_files_does_not_matter(seed):
    same = np.arange(4)
    expected = found(scattered(seed), same)
    assert {row[2] for row in expected} >= {*DISAGREEMENTS, "agreed"}
    assert any(row[4] is not None for row in expected)
    rng = np.random.default_rng([seed, 1])
    for _ in range(3):
        back = rng.permutation(4)
        assert found(scattered(seed, rng.permutation, back), back) == expected
