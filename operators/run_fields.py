"""The fields of a run: on samples, one label per unit, and attributes of labels.

All values come from the collection that an audit staged, by one command.
"""

import fiftyone as fo

from . import staging
from .schema import LABEL_LISTS, OWNER, owner

SAMPLE_FIELDS = {
    "alpha": (fo.FloatField, "KαLOS agreement of the raters on this image"),
    "status": (fo.StringField, "Why alpha is trivial or undefined, else 'computed'"),
    "n_units": (fo.IntField, "Objects that at least one rater drew"),
    "n_no_object": (fo.IntField, "Cells in which an assigned rater drew nothing"),
}
UNITS = "units"
LABEL_FIELDS = {
    "unit": (fo.IntField, "The object, by its number in the image"),
    "kind": (fo.StringField, "What the raters of this object disagree in"),
}
UNIT_ATTRIBUTES = {
    "unit": (fo.IntField, None, "Number of the object in its image"),
    "raters": (fo.ListField, fo.StringField, "Who drew it"),
    "no_object": (fo.ListField, fo.StringField, "Who was assigned and drew nothing"),
    "kind": (fo.StringField, None, "What the raters disagree in"),
    "outlier": (fo.StringField, None, "The one rater who stands against all others"),
    "agreement": (fo.FloatField, None, "Share of pairs of raters who say the same"),
    "gain": (fo.FloatField, None, "What alpha would rise by were it agreed"),
    "holds_from": (fo.FloatField, None, "Lowest tau at which its labels are linked"),
    "joins_from": (fo.FloatField, None, "Lowest tau at which it joins another one"),
}


def sample_paths(key):
    """Return the fields that a run adds to samples."""
    return [f"{key}_{name}" for name in (*SAMPLE_FIELDS, UNITS)]


def label_paths(key, containers):
    """Return the attributes that a run adds to labels in these lists."""
    return [f"{path}.{key}_{name}" for path in containers for name in LABEL_FIELDS]


def written(dataset, key):
    """Return the fields that a run under ``key`` wrote; not the user's copies."""
    names = {f"{key}_{name}" for name in (*SAMPLE_FIELDS, UNITS, *LABEL_FIELDS)}
    schema = dataset.get_field_schema(flat=True)
    return [
        path
        for path, field in schema.items()
        if path.rpartition(".")[2] in names and owner(field) == key
    ]


def remove(dataset, key):
    """Remove all fields that a run wrote."""
    paths = written(dataset, key)
    if paths:
        dataset.delete_sample_fields(paths)


def write(dataset, key, record):
    """Declare the fields of a run and fill them from what is staged."""
    info = {OWNER: key}
    for name, (ftype, words) in SAMPLE_FIELDS.items():
        path = f"{key}_{name}"
        dataset.add_sample_field(path, ftype, description=words, info=info)
    containers = record["containers"]
    _declare_units(dataset, f"{key}_{UNITS}", containers[0].rpartition(".")[2], info)
    staging.merge(dataset, record, _values(key, containers))
    for path in containers:
        for name, (ftype, words) in LABEL_FIELDS.items():
            dataset.add_sample_field(
                f"{path}.{key}_{name}", ftype, description=words, info=info
            )
    dataset.create_index(f"{key}_alpha")
    dataset.reload()


def _declare_units(dataset, path, listed, info):
    dataset.add_sample_field(
        path,
        fo.EmbeddedDocumentField,
        embedded_doc_type=LABEL_LISTS[listed],
        description="One label per object: its class by vote, and who drew it",
        info=info,
    )
    for name, (ftype, subfield, words) in UNIT_ATTRIBUTES.items():
        dataset.add_sample_field(
            f"{path}.{listed}.{name}", ftype, subfield=subfield, description=words
        )


def _values(key, containers):
    """Return how a staged document goes into its sample."""
    names = (*SAMPLE_FIELDS, UNITS)
    values = {f"{key}_{name}": f"$$new.{name}" for name in names}
    for n, path in enumerate(containers):
        # The whole field: setting a path inside would make an object of a null.
        root, listed = path.split(".")
        staged = f"$$new.labels_{n}"
        known = {"$and": [{"$isArray": f"${path}"}, {"$isArray": f"{staged}.ids"}]}
        labels = {listed: _labels(f"${path}", staged, key)}
        values[root] = {
            "$cond": [known, {"$mergeObjects": [f"${root}", labels]}, f"${root}"]
        }
    return values


def _labels(path, staged, key):
    """Return the labels of a sample, those that were audited with their attributes."""

    def with_attributes(label, place):
        added = {
            f"{key}_{name}": {"$arrayElemAt": [f"{staged}.{name}", place]}
            for name in LABEL_FIELDS
        }
        return {"$mergeObjects": [label, added]}

    by_place = {
        "$map": {
            "input": {"$range": [0, {"$size": path}]},
            "as": "n",
            "in": with_attributes({"$arrayElemAt": [path, "$$n"]}, "$$n"),
        }
    }
    by_id = {
        "$map": {
            "input": path,
            "as": "label",
            "in": {
                "$let": {
                    "vars": {"n": {"$indexOfArray": [f"{staged}.ids", "$$label._id"]}},
                    "in": {
                        "$cond": [
                            {"$lt": ["$$n", 0]},
                            "$$label",
                            with_attributes("$$label", "$$n"),
                        ]
                    },
                }
            },
        }
    }
    # Looking up by id is slow, and needed only where labels changed meanwhile.
    same = {"$eq": [f"{path}._id", f"{staged}.ids"]}
    return {"$cond": [same, by_place, by_id]}
