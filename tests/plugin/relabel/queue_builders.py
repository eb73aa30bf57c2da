"""What tests of the relabel queue build and read back."""

import csv

from plugin_builders import detection, names, operator


def drawn():
    """Return two disputed images and one that is agreed.

    one: units (cat cat) (cat dog): n = 4, chance 6, o = 2: alpha 0.
    two: (cat cat) (dog dog) (cat dog): n = 6, chance 6 + 6, o = 4:
    (5 * 4 - 12) / (30 - 12) = 4 / 9.
    three: (cat cat): alpha 1. The mean is 13 / 27.
    """

    def at(label, n):
        return detection(label, 10 + 25 * n, 10, 20, 20)

    return {
        "three": {"ana": [at("cat", 0)], "ben": [at("cat", 0)]},
        "two": {
            "ana": [at("cat", 0), at("dog", 1), at("cat", 2)],
            "ben": [at("cat", 0), at("dog", 1), at("dog", 2)],
        },
        "one": {
            "ana": [at("cat", 0), at("cat", 1)],
            "ben": [at("cat", 0), at("dog", 1)],
        },
    }


def rows(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def picked(dataset, name):
    return dataset.match({"filepath": f"/nowhere/{name}.jpg"})


def tagged(dataset, tag="kalos_relabel"):
    return sorted(names(dataset.match_tags(tag)))


def form(context, dataset, **params):
    ctx = context(dataset, params)
    return operator("build_relabel_queue").resolve_input(ctx).type.properties
