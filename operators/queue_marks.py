"""What a relabel queue leaves in the data set: tags, a saved view, and a note of both.

The note is kept with the run and written first, so that whatever is interrupted can
be undone. Tags and views that are not in it are the user's and left alone.
"""

from ..kalos_core import KalosError
from . import own_runs, saved_views
from .run_fields import UNITS
from .schema import labels_path
from .views import images_of


def noted(dataset, run_key):
    """Return the queues of a run: tag, by, ids, view and the like of each."""
    config = dataset.get_run_info(run_key).config
    return [dict(queue) for queue in getattr(config, "queues", None) or ()]


def check(dataset, run_key, queue, look=True):
    """Raise if tag or view of a queue are the user's, or those of another queue.

    ``look`` for the tag in the whole data set; a form must open at once.
    """
    tag, view = queue["tag"], queue["view"]
    if not isinstance(tag, str) or not tag.strip() or tag.startswith("$"):
        raise KalosError(
            f"A tag must be a text that does not begin with '$', got {tag!r}."
        )
    others = [(key, own) for key in _keys(dataset) for own in noted(dataset, key)]
    mine = [own for key, own in others if key == run_key and own["tag"] == tag]
    for key, own in others:
        if own["tag"] == tag and key != run_key:
            raise KalosError(
                f"The tag '{tag}' is that of a queue of run '{key}'. Choose another."
            )
    if look:
        _check_tag(dataset, run_key, queue, mine)
    views = [own["view"] for own in mine if _has_view(dataset, own)]
    saved_views.check_free(dataset, view, views)


def put(dataset, run_key, queue):
    """Tag and save the view of a queue, in place of an earlier one of that tag."""
    kept = []
    for own in noted(dataset, run_key):
        if own["tag"] == queue["tag"]:
            _remove(dataset, run_key, own)
        else:
            kept.append(own)
    words = f"{queue['words']} (KαLOS run '{run_key}')"
    queue = {**queue, "words": words}
    _note(dataset, run_key, [*kept, queue])
    field = _units(run_key)
    if queue["by"] == "unit":
        chosen = images_of(dataset).select_labels(ids=queue["ids"], fields=field)
        chosen.tag_labels(queue["tag"], label_fields=field)
    else:
        images_of(dataset).select(queue["ids"]).tag_samples(queue["tag"])
    view = ordered_view(dataset, run_key, queue["by"], queue["ids"])
    dataset.save_view(queue["view"], view, description=words)


def withdraw(dataset, run_key, tag):
    """Remove the queue of that tag, if there is one."""
    queues = noted(dataset, run_key)
    for own in queues:
        if own["tag"] == tag:
            _remove(dataset, run_key, own)
    _note(dataset, run_key, [own for own in queues if own["tag"] != tag])


def remove_all(dataset, run_key):
    """Remove the marks of all queues of a run; the notes go with the run."""
    for own in noted(dataset, run_key):
        _remove(dataset, run_key, own)


def ordered_view(dataset, run_key, by, ids):
    """Return the images of a queue, or a patch for each of its units, in order."""
    images, field = images_of(dataset), _units(run_key)
    if by == "image":
        return images.select(ids, ordered=True)
    chosen = images.select_labels(ids=ids, fields=field)
    return chosen.to_patches(field).select(ids, ordered=True)


def _check_tag(dataset, run_key, queue, mine):
    ids = {label for own in mine if own["by"] == queue["by"] for label in own["ids"]}
    found = _tagged(dataset, run_key, queue["by"], queue["tag"])
    if not ids.issuperset(found):
        n = len(set(found) - ids)
        what = "objects" if queue["by"] == "unit" else "samples"
        raise KalosError(
            f"{n} {what} of '{dataset.name}' have a tag '{queue['tag']}' that this "
            "queue did not give them. Choose another tag, or remove that one."
        )


def _tagged(dataset, run_key, by, tag):
    """Return the ids of all samples, or units, with a tag."""
    images = images_of(dataset)
    if by == "image":
        return images.match_tags(tag).values("id")
    path = labels_path(dataset, _units(run_key))
    ids, tags = images.values([f"{path}.id", f"{path}.tags"])
    return [
        label
        for sample in zip(ids, tags, strict=True)
        for label, own in zip(*(part or () for part in sample), strict=True)
        if tag in (own or ())
    ]


def _remove(dataset, run_key, queue):
    images = images_of(dataset)
    if queue["by"] == "image":
        images.select(queue["ids"]).untag_samples(queue["tag"])
    elif dataset.get_field(_units(run_key)) is not None:
        field = _units(run_key)
        chosen = images.select_labels(ids=queue["ids"], fields=field)
        chosen.untag_labels(queue["tag"], label_fields=field)
    if _has_view(dataset, queue):
        dataset.delete_saved_view(queue["view"])
    saved_views.drop_orphans(dataset, queue["view"])


def _has_view(dataset, queue):
    """Return whether its view is there; with other words in it, it is the user's."""
    name = queue["view"]
    if name not in dataset.list_saved_views():
        return False
    return dataset.get_saved_view_info(name)["description"] == queue["words"]


def _note(dataset, run_key, queues):
    config = dataset.get_run_info(run_key).config
    config.queues = queues
    dataset.update_run_config(run_key, config)


def _keys(dataset):
    return [info.key for info in own_runs.infos(dataset)]


def _units(run_key):
    return f"{run_key}_{UNITS}"
