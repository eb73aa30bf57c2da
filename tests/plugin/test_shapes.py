"""Alpha of each kind of label and distance, by hand, in both layouts."""

import fiftyone as fo
import pytest
from plugin_builders import (
    detection,
    in_a_field_each,
    in_one_field,
    keypoint,
    masked,
    polygon,
    square,
    stored,
)

POSE = [(60, 60), (90, 60), (90, 90)]
HALF = [[1, 1, 0, 0]] * 4
FULL = [[1, 1], [1, 1]]

# What ana and ben drew for the first object, of one class; how to draw the second
# one, which both drew alike but called differently; the distance of the first two.
CASES = {
    "box_iou": (
        fo.Detections,
        detection("cat", 0, 0, 20, 20),
        detection("cat", 10, 0, 20, 20),
        lambda label: detection(label, 60, 60, 20, 20),
        1 - 2 / 6,
    ),
    "box_giou": (  # the box around both is full
        fo.Detections,
        detection("cat", 0, 0, 20, 20),
        detection("cat", 10, 0, 20, 20),
        lambda label: detection(label, 60, 60, 20, 20),
        1 - (1 + 2 / 6) / 2,
    ),
    "box_centroid_l2": (
        fo.Detections,
        detection("cat", 0, 0, 20, 20),
        detection("cat", 10, 0, 20, 20),
        lambda label: detection(label, 60, 60, 20, 20),
        0.1 / 2**0.5,
    ),
    "polygon_iou": (  # ana's has two parts, of which ben drew one
        fo.Polylines,
        polygon("cat", square(0, 0, 20), square(40, 0, 20)),
        polygon("cat", square(0, 0, 20)),
        lambda label: polygon(label, square(70, 70, 20)),
        0.5,
    ),
    "polygon_giou": (  # IoU 1/2, and a third of the hull is in neither
        fo.Polylines,
        polygon("cat", square(0, 0, 20), square(40, 0, 20)),
        polygon("cat", square(0, 0, 20)),
        lambda label: polygon(label, square(70, 70, 20)),
        1 - (1 + 1 / 2 - 1 / 3) / 2,
    ),
    "polygon_centroid_l2": (
        fo.Polylines,
        polygon("cat", square(0, 0, 20), square(40, 0, 20)),
        polygon("cat", square(0, 0, 20)),
        lambda label: polygon(label, square(70, 70, 20)),
        0.2 / 2**0.5,
    ),
    "mask_iou": (  # one box, which ben filled half, at twice the resolution
        fo.Detections,
        masked("cat", 0, 0, 20, 20, mask=FULL),
        masked("cat", 0, 0, 20, 20, mask=HALF),
        lambda label: masked(label, 60, 60, 20, 20, mask=FULL),
        0.5,
    ),
    "keypoint_mpjpe": (  # one joint is off, one is ana's only, one is nobody's
        fo.Keypoints,
        keypoint("cat", (0, 0), (10, 10), None),
        keypoint("cat", (10, 0), None, None),
        lambda label: keypoint(label, *POSE),
        (0.1 / 2**0.5 + 1) / 2,
    ),
    "keypoint_oks": (  # s^2 = (0.3^2 + 0.4^2) / 2, sigma 0.1: exp(-0.05^2 / 0.01)
        fo.Keypoints,
        keypoint("cat", (0, 0), (30, 40), None),
        keypoint("cat", (5, 0), (35, 40), None),
        lambda label: keypoint(label, *POSE),
        1 - 0.7788007830714049,
    ),
}

LAYOUTS = {"one field": (in_one_field, "gt"), "each": (in_a_field_each, ["ana", "ben"])}


@pytest.fixture(params=LAYOUTS)
def store(request):
    """Return a function that stores a case; it gives the data set and its fields."""
    made = []

    def make(kind, ana, ben, other, _):
        build, field = LAYOUTS[request.param]
        drawn = {"x": {"ana": [ana, other("cat")], "ben": [ben, other("dog")]}}
        made.append(build(kind, drawn))
        return made[-1], field

    yield make
    for dataset in made:
        dataset.delete()


@pytest.mark.parametrize("d_loc", CASES)
def test_alpha_by_hand(compute, store, d_loc):
    dataset, field = store(*CASES[d_loc])
    distance, before = CASES[d_loc][-1], repr(stored(dataset))
    near = compute(dataset, field, d_loc=d_loc, tau=distance + 0.001)
    # Units (cat cat) (cat dog): n = 4, n_cat = 3, chance 6, o = 2: (6 - 6) / (12 - 6).
    assert near["mean_alpha"] == 0
    far = compute(dataset, field, d_loc=d_loc, tau=distance - 0.001, run_key="far")
    # (cat none) (none cat) (cat dog): n = 6, chance 6 + 2, o = 0: -8 / (30 - 8).
    assert far["mean_alpha"] == pytest.approx(-8 / 22)
    # As text, since nan is not itself.
    assert repr(stored(dataset, less=["kalos", "far"])) == before
    [units] = dataset.values("far_units")
    assert [unit.kind for unit in units[units._LABEL_LIST_FIELD]] == [
        "missed",
        "class",
        "missed",
    ]
    configuration = dataset.get_run_info("far").config.configuration
    assert configuration["d_loc"] == d_loc


@pytest.mark.parametrize(
    ("like", "d_loc", "tau"),
    [
        ("box_iou", "box_iou", 0.5),
        ("polygon_iou", "polygon_iou", 0.5),
        ("mask_iou", "mask_iou", 0.5),
        ("keypoint_mpjpe", "keypoint_mpjpe", 0.08),
    ],
)
def test_the_first_distance_that_fits_is_the_default(compute, store, like, d_loc, tau):
    dataset, field = store(*CASES[like])
    compute(dataset, field)
    assert dataset.get_run_info("kalos").config.configuration == {
        "d_loc": d_loc,
        "tau": tau,
        "solver": "greedy",
        "psi": "soft",
    }


def test_detections_with_masks_can_be_compared_as_boxes(compute, store):
    dataset, field = store(*CASES["mask_iou"])
    compute(dataset, field, shapes="boxes", tau=0)
    assert dataset.values("kalos_alpha") == [0]  # the two boxes are the same
    compute(dataset, field, d_loc="box_giou", tau=0, run_key="giou")
    assert dataset.values("giou_alpha") == [0]
    compute(dataset, field, shapes="masks", tau=0, run_key="masks")
    assert dataset.values("masks_alpha") == [pytest.approx(-8 / 22)]


def test_solver_and_cost_are_passed_on(compute, store):
    dataset, field = store(*CASES["box_iou"])
    compute(dataset, field, solver="shm", psi="neg")
    config = dataset.get_run_info("kalos").config
    assert config.notation == "KαLOS(box_iou, τ=0.5, S=SHM, ψ_neg)"


def test_delegation_keeps_shapes_distance_and_solver(compute, store):
    from fiftyone.operators.delegated import DelegatedOperationService

    dataset, field = store(*CASES["mask_iou"])
    dataset.persistent = True
    chosen = {"shapes": "boxes", "d_loc": "box_giou", "solver": "ahc", "psi": "neg"}
    compute(dataset, field, delegate=True, **chosen)
    DelegatedOperationService().execute_queued_operations(
        operator="@kalos/audit/compute_agreement", dataset_name=dataset.name
    )
    dataset.reload()
    config = dataset.get_run_info("kalos").config
    assert config.notation == "KαLOS(box_giou, τ=0.5, S=AHC, ψ_neg)"
