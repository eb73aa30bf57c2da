"""`make demo`: build the demo data set, audit it, print it and open the App."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from contextlib import suppress

from scripts.app import app_server, audit_address
from scripts.sandbox import ROOT, SandboxError, enter

DATASET, RUN = "kalos-demo", "kalos"
APP_PORT = 5151


def main():
    say("Starting FiftyOne")
    try:
        enter("demo")
    except SandboxError as error:
        sys.exit(str(error))
    try:
        dataset = build()
        audit(dataset)
        print(summary(dataset))
        if os.environ.get("APP") != "0" and sys.stdin.isatty():
            open_app()
    except KeyboardInterrupt:
        sys.exit("\n[demo] Stopped; run it again to go on from here")


def build():
    """Return the demo data set, made if it is not there."""
    import fiftyone as fo
    import fiftyone.operators as foo

    from demo.dataset import EDITION, N_SCENES, render_images

    if fo.dataset_exists(DATASET):
        dataset = fo.load_dataset(DATASET)
        if dataset.info.get("edition") == EDITION:
            say("The demo data set is there already")
            return dataset
        dataset.delete()
    say(f"Painting {N_SCENES} blood smears, about half a minute")
    for done in render_images():
        if done % 40 == 0:
            say(f"{done} painted")
    say("Storing the labels of six raters")
    return foo.get_operator("@kalos/audit/load_demo")(DATASET)


def audit(dataset):
    """Compute the agreement unless this version did so before."""
    import fiftyone.operators as foo
    import yaml

    version = yaml.safe_load((ROOT / "fiftyone.yml").read_text())["version"]
    if dataset.has_run(RUN):
        config = dataset.get_run_info(RUN).config
        if config.version == version:
            return
    say("Computing the agreement of the raters")
    compute = foo.get_operator("@kalos/audit/compute_agreement")
    compute(dataset, "ratings", run_key=RUN, overwrite=True)


def summary(dataset):
    """Return the audit as text for a terminal."""
    config = dataset.get_run_info(RUN).config
    results = dataset.load_run_results(RUN)
    habits = dataset.info["raters"]
    worst = dataset.exists(f"{RUN}_alpha").sort_by(f"{RUN}_alpha").limit(5)
    paths, alphas, units = worst.values(["filepath", f"{RUN}_alpha", f"{RUN}_n_units"])
    names = [os.path.basename(path) for path in paths]
    raters, classes = results.raters, results.classes
    return "\n".join(
        [
            "",
            f"{config.notation} on {DATASET}",
            f"{results.n_images} images, {results.n_annotations} labels, "
            f"{results.n_units} objects; "
            f"{results.statuses.get('undefined', 0)} images undefined (one rater only)",
            "",
            f"mean α    {results.mean_alpha:.3f}",
            f"global α  {results.global_alpha:.3f}",
            "",
            "Worst images",
            *table(["α", "objects", "file"], [alphas, units, names]),
            "",
            "Raters against the majority of each object",
            *table(
                [
                    "rater",
                    "images",
                    "labels",
                    "missed",
                    "extra",
                    "other class",
                    "habit",
                ],
                [
                    raters["name"],
                    raters["n_images"],
                    raters["n_annotations"],
                    shares(raters["missed"], raters["expected"]),
                    shares(raters["extra"], raters["drawn"]),
                    shares(raters["other_class"], raters["drawn"]),
                    [habits[name] for name in raters["name"]],
                ],
            ),
            "",
            "Classes",
            *table(
                ["class", "labels", "α"],
                [classes["name"], classes["n_annotations"], classes["alpha"]],
            ),
            "",
        ]
    )


def shares(parts, wholes):
    """Return percentages as text."""
    return [f"{part / whole:.0%}" for part, whole in zip(parts, wholes, strict=True)]


def table(heads, columns):
    """Return the lines of a table: numbers to the right, text to the left."""
    cells = [
        [head, *(f"{v:.3f}" if isinstance(v, float) else str(v) for v in column)]
        for head, column in zip(heads, columns, strict=True)
    ]
    texts = [
        isinstance(column[0], str) and not column[0].endswith("%") for column in columns
    ]
    padded = [
        [c.ljust(width) if text else c.rjust(width) for c in column]
        for column, text in zip(cells, texts, strict=True)
        for width in [max(map(len, column))]
    ]
    return ["  " + "  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def open_app():
    """Serve the App until the user stops it."""
    with app_server(APP_PORT if is_free(APP_PORT) else None) as address:
        url = audit_address(address, DATASET)
        say(f"The App is at {url}")
        webbrowser.open(url)
        with suppress(KeyboardInterrupt, EOFError):
            input("[demo] Press Enter to stop it\n")


def is_free(port):
    """Return whether nobody listens on a port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def say(text):
    print(f"[demo] {text}", flush=True)


if __name__ == "__main__":
    main()
