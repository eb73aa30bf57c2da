"""Synthetic raters from a label field, in new fields of the data set."""

from collections import Counter
from dataclasses import dataclass, fields
from itertools import chain, count, pairwise
from pathlib import Path

import numpy as np

from ..kalos_core import Annotations, KalosError, Polygons
from ..kalos_core.noise import ERRORS, simulate_raters, transition_from_similarity
from ..kalos_core.noise.proposals import movable
from ..kalos_core.version import VERSION
from . import label_writing, layouts, new_fields, noise_fits, proxies, runs, staging
from .audit import SEED
from .columns import flat
from .fields import naming_files, read_annotations
from .label_documents import LabelDocuments
from .layouts import ASSIGNED_FIELD, RATER_ATTRIBUTE, FieldPerRater, OneField
from .measures import outlined
from .progress import at_work
from .proxies import CLIP, CLIP_MODEL, CLIP_WEIGHTS
from .proxies.labels import read_labels
from .rater_fields import check_field_name
from .schema import SIMULATION, labels_path
from .views import check_filters, check_media

WHAT = "simulation"
OWL = "@owl"
"""In place of a file: what this model sees in the images."""

OWL_WEIGHTS = "google/owlvit-base-patch32"
FIELD = "simulated"
OUTLINE = ("points", "closed", "filled")
"""What is drawn of a polygon."""

ATTRIBUTES = {
    "error": ("string", "The error that the synthetic rater made"),
    "reference_ids": ("strings", "The labels that it comes from; none if it was added"),
}


@dataclass(frozen=True)
class Request:
    """What to simulate, and where to; plain values, as a form has them."""

    label_field: str
    rater: str | None = None
    rater_attribute: str = RATER_ATTRIBUTE
    n_raters: int = 5
    magnitude: float | tuple[float, ...] = 1.0
    groups: tuple[int, ...] | None = None
    convention: float = 1.0
    parameters: str = noise_fits.DEFAULTS
    halved: bool = False
    similarity: str | None = None
    proposals: str | None = None
    clip_model: str = CLIP_MODEL
    clip_weights: str = CLIP_WEIGHTS
    owl_weights: str = OWL_WEIGHTS
    field: str = FIELD
    layout: str = OneField.layout
    seed: int = SEED

    def names(self):
        """Return the fields that are to be written."""
        if self.layout == FieldPerRater.layout:
            width = len(str(self.n_raters))
            numbers = range(1, self.n_raters + 1)
            raters = [f"rater_{number:0{width}}" for number in numbers]
            by_rater = {rater: f"{self.field}_{rater}" for rater in raters}
            return label_writing.FieldPerRaterNames(by_rater)
        assigned = _own_list(self.field)
        return label_writing.OneFieldNames(self.field, RATER_ATTRIBUTE, assigned)


def request_of(params):
    """Return what parameters ask for; what is not given has its default."""
    known = {one.name for one in fields(Request)}
    given = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in params.items()
        if name in known and value is not None
    }
    return Request(**{"label_field": "", **given})


def free_field(dataset):
    """Return a name that no field has, nor begins with: simulated, simulated_2, ..."""
    taken = dataset.get_field_schema()
    numbered = (f"{FIELD}_{n}" for n in count(2))
    return next(
        name
        for name in chain([FIELD], numbered)
        if name not in taken and not any(f.startswith(f"{name}_rater") for f in taken)
    )


def check(view, request, look=True):
    """Raise for what is wrong already; without a ``look`` at the samples for a form."""
    check_media(view)
    if not view.limit(1):
        raise KalosError("There are no samples to simulate raters of.")
    dataset = view._root_dataset
    new_fields.settle(dataset, [request.label_field])
    layouts.check_label_field(view, request.label_field)
    check_filters(view, [request.label_field])
    check_field_name(request.field, "new field")
    new_fields.check_free(dataset, request.names().names, look)
    noise_fits.parameters_of(dataset, request.parameters)
    _check_proxies(view, request)
    several = isinstance(request.magnitude, tuple)
    if several and len(request.magnitude) != request.n_raters:
        raise KalosError(
            f"magnitude must be one number, or one for each of {request.n_raters} "
            f"raters, got {len(request.magnitude)}"
        )
    if request.groups == ():
        raise KalosError(
            "groups must be the sizes of one group at least, got none. Write "
            "groups=[3, 2], say, or leave it out."
        )
    if request.groups is not None and sum(request.groups) != request.n_raters:
        raise KalosError(
            f"The groups must add up to {request.n_raters} raters; "
            f"{' + '.join(map(str, request.groups))} is {sum(request.groups)}."
        )


def simulate(view, request, tell=None, stoppable=None):
    """Make raters who err like people, write their labels, and return a report.

    Nothing is visible before all of it is there.

    Parameters
    ----------
    tell : called with the part that is done, from 0 to 1, and what is being done.
    stoppable : called with what has a method ``stop``.
    """
    dataset = view._root_dataset
    runs.tidy(dataset)
    check(view, request)
    with at_work(dataset, request.field, WHAT, tell, stoppable) as steps:
        steps.tell(0, "Reading the labels")
        reference = _read(view, request)
        parameters, fitted = noise_fits.parameters_of(dataset, request.parameters)
        if request.halved:
            parameters = parameters.halved()
        look = steps.between(0.05, 0.2, "Looking at the images")
        transition = _transition(view, request, reference, parameters, fitted, look)
        proposals = _proposals(view, request, reference, look)
        with naming_files(view):
            made = simulate_raters(
                reference,
                parameters,
                n_raters=request.n_raters,
                magnitude=request.magnitude,
                groups=request.groups,
                convention=request.convention,
                transition=transition,
                proposals=proposals,
                names=_files(view, reference),
                rng=np.random.default_rng(request.seed),
                progress=steps.between(0.2, 0.5, "Simulating raters"),
            )
        _write(steps, dataset, request, made, _kept(view, request, made))
        steps.note(1, "Done")
    return _report(request, made)


def _files(view, reference):
    """Return the file of each image: ids follow the order in which it was added."""
    file_of = dict(zip(*view.values(["id", "filepath"]), strict=True))
    return [file_of[image] for image in reference.images]


def _check_proxies(view, request):
    """Raise if there is no such field or file, or nothing that could be added."""
    if request.proposals == request.label_field and request.rater is None:
        raise KalosError(
            f"proposals: every box of '{request.label_field}' is a label already, so "
            "nothing could be added. Choose another field, or leave it empty to move "
            "real shapes."
        )
    files = {"similarity": request.similarity, "proposals": request.proposals}
    for name, given in files.items():
        if given in (None, CLIP, OWL):
            continue
        if name == "proposals" and _is_field(view, given):
            layouts.check_label_field(view, given)
        elif not Path(given).is_file():
            raise KalosError(f"{name}: there is no file '{given}'.")


def _is_field(view, given):
    """Return whether proposals are meant to be a field's, and not those of a file."""
    return view.has_field(given) or not noise_fits.is_file_name(given)


def _transition(view, request, reference, parameters, fitted, tell):
    """Return which classes are mistaken for which: as fitted, or as they look alike."""
    if request.similarity is None:
        return noise_fits.aligned(fitted, reference.classes)
    found = proxies.similarity_of(
        view,
        request.label_field,
        request.similarity,
        clip_model=request.clip_model,
        clip_weights=request.clip_weights,
        tell=lambda done, _: tell(done, 1),
    ).of(reference.classes)
    law = parameters.category
    return transition_from_similarity(
        found.similarity, temperature=law.temperature, n_nearest=law.n_nearest
    )


def _proposals(view, request, reference, tell):
    """Return where objects may be seen that are not there; None moves real ones."""
    if request.proposals is None:
        return None
    if request.proposals == OWL:
        found = proxies.owl_proposals(
            view,
            reference.classes,
            name_or_path=request.owl_weights,
            tell=lambda done, _: tell(done, 1),
        )
    elif _is_field(view, request.proposals):
        found = proxies.boxes_of_field(view, request.proposals)
    else:
        found = proxies.boxes_of_coco(view, request.proposals)
    return found.proposals(reference)


def _read(view, request):
    """Return the reference: the labels of one rater."""
    if request.rater is None:
        return read_labels(view, request.label_field)
    layout = _layout(view, request)
    layouts.check_layout(view, layout)
    everyone = read_annotations(view, layout, outlined(view, layout))
    if request.rater not in everyone.raters:
        raise KalosError(
            f"No label of '{request.label_field}' is by rater {request.rater!r}; "
            f"raters are {', '.join(everyone.raters)}."
        )
    return _alone(everyone, everyone.raters.index(request.rater))


def _layout(view, request):
    """Return where the raters are: a list of the field's own goes before ``raters``."""
    own, lists = _own_list(request.label_field), layouts.assigned_fields(view)
    listed = [name for name in (own, ASSIGNED_FIELD) if name in lists]
    assigned = next(iter(listed), layouts.EVERY_RATER)
    return _Source(request.label_field, request.rater_attribute, assigned)


class _Source(OneField):
    """The field that the reference is in; nobody is asked who was assigned."""

    @property
    def remedies(self):
        own = _own_list(self.label_field)
        if self.assigned == own:
            return "or delete that field to count everyone as assigned"
        return f"or list who was assigned in a field of its own, '{own}'"


def _own_list(field):
    """Return the list of assigned raters that goes with a field of labels."""
    return f"{field}_raters"


def _alone(everyone, rater):
    own = np.flatnonzero(everyone.rater == rater)
    return Annotations(
        image=everyone.image[own],
        rater=np.zeros_like(own),
        label=everyone.label[own],
        geometry=everyone.geometry.take(own),
        annotation_id=everyone.annotation_id[own],
        assigned=everyone.assigned[:, [rater]],
        images=everyone.images,
        raters=everyone.raters[rater : rater + 1],
        classes=everyone.classes,
    )


def _kept(view, request, made):
    """Return, by number, the points of polygons that nobody changed.

    The engine has repaired and ordered them to compare areas: a bow tie is one of its
    halves there. A copy is to be what was drawn.
    """
    if not isinstance(made.geometry, Polygons):
        return {}
    copies = np.flatnonzero(made.error == ERRORS.index("none"))
    if not len(copies):
        return {}
    root = labels_path(view, request.label_field)
    columns = view.values([f"{root}.{name}" for name in ("id", *OUTLINE)])
    rows = zip(*map(flat, columns), strict=True)
    drawn = {id_: dict(zip(OUTLINE, row, strict=True)) for id_, *row in rows}
    ids = made.reference.annotation_id[made.reference_index[made.first[copies]]]
    return {n: drawn[i] for n, i in zip(copies.tolist(), ids.tolist(), strict=True)}


def _write(steps, dataset, request, made, kept):
    annotations, names = made.annotations(), request.names()
    more = {
        name: (*ATTRIBUTES[name], values) for name, values in _attributes(made).items()
    }
    labels = LabelDocuments(annotations, names.rater_attribute, more, kept)
    documents = label_writing.documents(annotations.images, annotations, names, labels)
    staging.stage(steps, documents, annotations.n_images, 0.5)
    new_fields.ready(steps, names.declared(labels), SIMULATION, _info(request))
    steps.note(0.9, "Writing the labels")
    taken = new_fields.finish(dataset, steps.record)
    if taken:
        raise KalosError(new_fields.taken(dataset, taken))


def _attributes(made):
    """Return error and references of each label."""
    ids = made.reference.annotation_id[made.reference_index].tolist()
    first = made.first.tolist()
    return {
        "error": [ERRORS[error] for error in made.error.tolist()],
        "reference_ids": [ids[start:stop] for start, stop in pairwise(first)],
    }


def _info(request):
    """Return what the schema says of the new fields, as plain values."""
    values = {one.name: getattr(request, one.name) for one in fields(request)}
    values["source"] = values.pop("label_field")
    plain = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if name not in ("field", "layout")
    }
    return {**plain, "version": VERSION}


def _report(request, made):
    counts = Counter(ERRORS[error] for error in made.fate.ravel().tolist())
    return {
        "fields": list(request.names().names),
        "n_raters": len(made.raters),
        "n_images": made.reference.n_images,
        "n_references": len(made.reference),
        "n_labels": len(made),
        "n_added": int((np.diff(made.first) == 0).sum()),
        "n_movable": len(movable(made.reference)),
        "fates": {name: counts[name] for name in ERRORS if counts[name]},
        "signal_loss": made.signal_loss,
        "n_unpaired": int(made.n_unpaired.sum()),
        "proposals": request.proposals,
        "seed": request.seed,
    }
