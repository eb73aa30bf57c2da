"""Where the App shows fields: those that are ticked, and the groups of the sidebar.

FiftyOne takes a field that is deleted out of both. A run that is replaced comes back
under the same names, and its fields are then shown where they were.
"""


def noted(dataset):
    """Return the paths of each place, as plain values."""
    return [list(paths) for paths in _places(dataset)]


def restore(dataset, before):
    """Put fields back that were taken out and are there again."""
    places = _places(dataset)
    if len(places) != len(before):
        return  # the user has rearranged them meanwhile
    schema, changed = dataset.get_field_schema(flat=True), False
    for paths, then in zip(places, before, strict=True):
        lost = {path for path in then if path not in paths and path in schema}
        kept = [path for path in then if path in paths or path in lost]
        if lost and set(paths) <= set(kept):
            paths[:] = kept
            changed = True
    if changed:
        dataset.save()


def _places(dataset):
    app = dataset.app_config
    ticked = [] if app.active_fields is None else [app.active_fields.paths]
    return [*ticked, *(group.paths for group in app.sidebar_groups or ())]
