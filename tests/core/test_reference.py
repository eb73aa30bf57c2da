"""The authors' implementation, kalos 0.8.0, as the yardstick."""

import numpy as np
import pytest

from kalos_core import Annotations, Boxes, Configuration, compute_agreement

core = pytest.importorskip("kalos.iaa.core")


def random_annotations(seed):
    """Return a small data set with misses, class swaps, empty and unshared images."""
    rng = np.random.default_rng(seed)
    n_images, n_raters = int(rng.integers(1, 6)), int(rng.integers(2, 7))
    assigned = rng.random((n_images, n_raters)) < rng.choice([0.6, 1.0])
    image, rater, label, xywh = [], [], [], []
    for i in range(n_images):
        n_objects = int(rng.integers(0, 8))
        true = np.c_[rng.random((n_objects, 2)), rng.uniform(0.05, 0.4, (n_objects, 2))]
        true_label = rng.integers(0, 4, n_objects)
        for r in np.flatnonzero(assigned[i]):
            for box, c in zip(true, true_label, strict=True):
                if rng.random() < 0.15:
                    continue
                image.append(i)
                rater.append(r)
                label.append(c if rng.random() < 0.85 else rng.integers(0, 4))
                xywh.append(box * rng.uniform(0.8, 1.25, 4))
    return Annotations(
        image=np.array(image, int),
        rater=np.array(rater, int),
        label=np.array(label, int),
        geometry=Boxes(xywh),
        annotation_id=[f"{n:04}" for n in range(len(xywh))],
        assigned=assigned,
        images=[f"i{i}" for i in range(n_images)],
        raters=[f"r{r}" for r in range(n_raters)],
        classes=["a", "b", "c", "d"],
    )


def reference(made, tau):
    """Return mean, global and per-image alpha of the reference."""
    data = {}
    for i in range(made.n_images):
        who = [made.raters[r] for r in np.flatnonzero(made.assigned[i])]
        by_rater = {name: [] for name in who}
        for n in np.flatnonzero(made.image == i):
            name = made.raters[made.rater[n]]
            by_rater[name].append(
                {
                    "id": int(n),
                    "rater_id": name,
                    "category_id": int(made.label[n]),
                    "bbox": made.geometry.xywh[n].tolist(),
                }
            )
        data[i] = {"rater_list": who, "annotations_by_rater": by_rater}
    mean, overall, *_, image_alphas, _, _ = core.calculate_iaa(
        data,
        dict(enumerate(made.classes)),
        "greedy",
        "bbox_iou_similarity",
        "category_lenient",
        1 - tau,
        False,
        False,
        False,
        list(made.raters),
    )
    return mean, overall, np.array([image_alphas[i] for i in range(made.n_images)])


@pytest.mark.parametrize("seed", range(200))
def test_agreement_equals_the_reference(seed):
    made = random_annotations(seed)
    tau = [0.3, 0.5, 0.7][seed % 3]
    ours = compute_agreement(made, Configuration(tau=tau))
    mean, overall, by_image = reference(made, tau)
    defined = ours.status != "undefined"
    assert np.abs(ours.alpha[defined] - by_image[defined]).max(initial=0) < 1e-9
    # By decision: what cannot be computed is undefined, the reference says 1.
    assert (by_image[~defined] == 1).all()
    if defined.all():
        assert ours.mean_alpha == pytest.approx(mean, abs=1e-9)
    if np.isnan(ours.global_alpha):
        assert overall == 1
    else:
        assert ours.global_alpha == pytest.approx(overall, abs=1e-9)
