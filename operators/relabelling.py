"""Build a relabel queue: choose, mark, write the CSV, hand over."""

from dataclasses import dataclass

import numpy as np

from ..kalos_core import KalosError, relabel_queue, unit_kinds
from ..kalos_core.diagnostics.queue import (
    MINUTES_PER_IMAGE,
    MINUTES_PER_UNIT,
    check_budget,
)
from ..kalos_core.plain import plain
from . import folders, hand_over, journal, layouts, queue_csv, queue_marks, runs
from .live_run import live
from .packed import unpack
from .progress import at_work
from .unit_labels import number_units
from .views import images_of


@dataclass(frozen=True)
class Request:
    """What to put in a queue, and where it goes; see `BuildRelabelQueue`."""

    run_key: str
    by: str = "image"
    n: int | None = None
    minutes: float | None = None
    minutes_per_image: float = MINUTES_PER_IMAGE
    minutes_per_unit: float = MINUTES_PER_UNIT
    tag: str | None = None
    save_as: str | None = None
    csv: bool | str = True
    backend: str | None = None
    anno_key: str | None = None
    label_field: str | None = None
    on_changed: str = "refuse"

    @property
    def tag_name(self):
        """The tag to give."""
        return f"{self.run_key}_relabel" if self.tag is None else self.tag

    @property
    def marks(self):
        """What the queue leaves, as ``queue_marks`` notes it, less what is chosen."""
        view = self.save_as or self.tag_name
        return {"tag": self.tag_name, "by": self.by, "view": view}


def check(dataset, request, look=True):
    """Raise for what is wrong already; without a ``look`` at the samples for a form."""
    config = runs.config_of(dataset, request.run_key)
    each = request.minutes_per_image, request.minutes_per_unit
    check_budget(request.by, request.n, request.minutes, each)
    queue_marks.check(dataset, request.run_key, request.marks, look)
    if isinstance(request.csv, str):
        queue_csv.check_path(request.csv)
    elif request.csv:
        folders.check_writable(queue_csv.default_folder(dataset))
    if request.backend:
        hand_over.check_known(request.backend)
    if request.backend and hand_over.lacking(request.backend) is None:
        layout = layouts.from_params(config.layout, dataset)
        hand_over.check(dataset, _anno_key(request), request.label_field, layout)


def build(dataset, request, tell=None, stoppable=None):
    """Build a queue and return what it is and where."""
    runs.tidy(dataset)
    check(dataset, request)
    key = request.run_key
    with at_work(dataset, key, "relabel queue", tell, stoppable) as steps:
        annotations, agreement = live(dataset, key, request.on_changed, steps)
        computed = _computed(dataset, key)
        steps.tell(0.5, "Choosing what to label again")
        queue = relabel_queue(
            annotations,
            agreement,
            unit_kinds(annotations, agreement),
            by=request.by,
            n=request.n,
            minutes=request.minutes,
            minutes_per_image=request.minutes_per_image,
            minutes_per_unit=request.minutes_per_unit,
        )
        steps.tell(0.8, "Tagging")
        csv = _store(dataset, request, annotations, agreement, queue, computed)
        steps.note(0.9, "Handing over")
        said = _hand_over(dataset, request, annotations, queue)
        steps.note(1, "Done")
    return _described(request, queue, csv, said)


def _store(dataset, request, annotations, agreement, queue, computed):
    """Mark what was chosen and write the CSV; return its path or None."""
    key = request.run_key
    with journal.turn_to_write(dataset):
        _, results = runs.load(dataset, key)
        if _computed(dataset, key) != computed:
            raise KalosError(f"The run '{key}' was replaced meanwhile. Try again.")
        queue_marks.check(dataset, key, request.marks)
        if not len(queue):
            queue_marks.withdraw(dataset, key, request.tag_name)
            return None
        samples = [annotations.images[n] for n in queue.image.tolist()]
        ids = samples
        if request.by == "unit":
            unit = np.unique(agreement.reliability.unit_of)
            place = np.searchsorted(unit, queue.unit)
            ids = unpack(results.units)["label_id"][place].tolist()
        pairs = images_of(dataset).select(samples).values(["id", "filepath"])
        files = dict(zip(*pairs, strict=True))
        path = _csv_path(dataset, request)
        words = f"{len(queue)} {request.by}s to label again"
        noted = {**request.marks, "ids": ids, "csv": path, "words": words}
        if path is not None:
            queue_csv.write(path, _rows(annotations, agreement, queue, files))
        queue_marks.put(dataset, key, noted)
    return path


def _computed(dataset, run_key):
    """Return when a run was computed, as exactly as the database keeps it."""
    return dataset.get_run_info(run_key).timestamp.isoformat(timespec="milliseconds")


def _rows(annotations, agreement, queue, files):
    _, _, number = number_units(agreement.reliability, annotations.n_images)
    for entry, reason in enumerate(queue.reason):
        sample = annotations.images[queue.image[entry]]
        yield (
            entry + 1,
            files[sample],
            sample,
            " ".join(map(str, number[queue.units(entry)].tolist())),
            round(float(queue.gain[entry]), 6),
            round(float(queue.minutes[entry]), 6),
            round(float(queue.expected[entry]), 6),
            reason,
        )


def _csv_path(dataset, request):
    if request.csv is False:
        return None
    if request.csv is not True:
        return queue_csv.check_path(request.csv)
    noted = queue_marks.noted(dataset, request.run_key)
    mine = [own["csv"] for own in noted if own["tag"] == request.tag_name]
    return queue_csv.default_path(dataset, request.tag_name, mine)


def _anno_key(request):
    if request.anno_key is not None:
        return request.anno_key
    tag = request.tag_name
    return tag if tag.isidentifier() else f"{request.run_key}_relabel"


def _hand_over(dataset, request, annotations, queue):
    """Return in words what became of the batch, or None if nobody asked."""
    backend = request.backend
    if not backend or not len(queue):
        return None
    problem = hand_over.lacking(backend)
    if problem is not None:
        return f"{problem} The batch was not handed over; all else is done."
    config = runs.config_of(dataset, request.run_key)
    layout = layouts.from_params(config.layout, dataset)
    key = _anno_key(request)
    field = hand_over.check(dataset, key, request.label_field, layout)
    samples = list(dict.fromkeys(annotations.images[n] for n in queue.image.tolist()))
    view = images_of(dataset).select(samples, ordered=True)
    return hand_over.hand_over(
        view, key, backend, field, layout, config.shapes, annotations.classes
    )


def _described(request, queue, csv, said):
    return plain(
        {
            "run_key": request.run_key,
            "tag": request.tag_name if len(queue) else None,
            "view": request.marks["view"] if len(queue) else None,
            "csv": csv,
            "n": len(queue),
            "n_candidates": queue.n_candidates,
            "minutes": queue.minutes.sum(),
            "mean_alpha": queue.mean_alpha,
            "expected_mean_alpha": queue.expected[-1]
            if len(queue)
            else queue.mean_alpha,
            "annotation": said,
        }
    )
