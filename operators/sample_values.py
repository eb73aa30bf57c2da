"""How results go into samples and their labels, as expressions of MongoDB.

In them ``$$new`` is what was staged for a sample. What it lacks is removed from the
sample.
"""


def filled(path, labels):
    """Return the field at the root of a path with these labels, if it has any."""
    # The whole field: setting a path inside would make an object of a null.
    root, listed = path.split(".")
    filled = {"$mergeObjects": [f"${root}", {listed: labels}]}
    return {root: {"$cond": [{"$isArray": f"${path}"}, filled, f"${root}"]}}


def labels(path, staged, added, removed=()):
    """Return the labels of a sample, those that were audited with their attributes.

    Parameters
    ----------
    path : of the labels in the sample.
    staged : the path of what is staged for them: their ids and, in the same order, the
        values of attributes.
    added : the name of each attribute there, by that in the sample.
    removed : attributes to remove from the other labels.
    """
    path = f"${path}"
    place = {"$indexOfArray": [f"{staged}.ids", "$$label._id"]}
    other = without("$$label", removed) if removed else "$$label"
    known = {"$cond": [{"$lt": ["$$n", 0]}, other, _with("$$label", staged, added)]}
    by_id = {"$let": {"vars": {"n": place}, "in": known}}
    places = {"$range": [0, {"$size": path}]}
    by_place = _with({"$arrayElemAt": [path, "$$n"]}, staged, added)
    left_out = mapped(path, "label", other) if removed else path
    # Looking up by id is slow, and needed only where labels changed meanwhile.
    cases = [
        ({"$eq": [f"{path}._id", f"{staged}.ids"]}, mapped(places, "n", by_place)),
        ({"$isArray": f"{staged}.ids"}, mapped(path, "label", by_id)),
    ]
    branches = [{"case": case, "then": then} for case, then in cases]
    return {"$switch": {"branches": branches, "default": left_out}}


def _with(label, staged, added):
    """Return a label with its attributes, which are staged at place ``n``."""
    values = {
        name: {"$arrayElemAt": [f"{staged}.{there}", "$$n"]}
        for name, there in added.items()
    }
    return {"$mergeObjects": [label, values]}


def without(label, attributes):
    """Return a label less some attributes."""
    kept = {"$not": {"$in": ["$$this.k", list(attributes)]}}
    pairs = {"$filter": {"input": {"$objectToArray": label}, "cond": kept}}
    return {"$arrayToObject": pairs}


def mapped(values, name, value):
    """Return a list of ``value`` for each of ``values``, which is called ``name``."""
    return {"$map": {"input": values, "as": name, "in": value}}
