"""What panels cost on 15,000 images: to open them, to click, and to ask what if.

FiftyOne loads the data set anew for every event, whoever handles it, so that all but
the audit include it. Of several times the least counts, on both sides: milliseconds
are easily disturbed by whatever else runs.

Opening a panel is its ``on_load`` with all that it draws, nothing being remembered,
against bare loading of the run: ``load_run_results`` without FiftyOne's cache. It may
take twice as long.

A click lasts from its handler, with all that the panel draws, until the App has what
it needs of the view that was set: the stages read back, the samples counted, the first
page of them fetched. The bare view is the same without the handler, patches being made
anew, as if the user had set it by hand. A click may take twice as long. It is the first
one after the panel was opened. The inspector sets no view; there the bare view is that
of all disputed images, worst first, by which one would go through them by hand.

A what-if change is the handler of the panel with all that it draws: match again,
compare with the run, list the worst images. It may take a twentieth of the audit.
"""

import copy
import statistics
from importlib import import_module

from benchmarks import workloads
from benchmarks.audit import seconds, stored
from scripts.sandbox import enter

REPEATS = 9
AUDITS = 2
PAGE = 20
"""Samples that the App asks for at first."""

SOLVERS = ("ahc", "shm", "mgm")
PANELS = ("agreement", "raters", "localization", "classes", "what_if", "inspector")


def main():
    enter("bench")
    import fiftyone as fo
    import fiftyone.operators as foo

    compute = foo.get_operator("@kalos/audit/compute_agreement")
    dataset = stored(fo, workloads.vindr())
    foo.get_operator("@kalos/audit/calibrate")(dataset, "gt", d_locs=["box_iou"])
    audit = statistics.median(
        seconds(lambda: compute(dataset, "gt", tau=0.5, overwrite=True))
        for _ in range(AUDITS)
    )
    print(f"{len(dataset):,} samples, audited in {audit:.2f}s")
    panels = {
        name: Panel(foo.get_operator(f"@kalos/audit/kalos_{name}"), dataset)
        for name in PANELS
    }
    time_opening(dataset, panels)
    time_clicks(dataset, panels)
    audits = {"": audit}
    for solver in SOLVERS:
        other = {"solver": solver, "run_key": "other", "overwrite": True}
        audits[solver] = seconds(lambda o=other: compute(dataset, "gt", tau=0.5, **o))
    foo.get_operator("@kalos/audit/delete_run")(dataset, "other")
    time_changes(panels["what_if"], audits)
    dataset.delete()


def time_opening(dataset, panels):
    print(f"\n{'open, goal 2.00':<44}{'open':>9}{'load':>9}{'ratio':>8}")
    for name, panel in panels.items():
        opened, bare = [], []
        for _ in range(REPEATS):
            bare.append(seconds(lambda: load(dataset)))
            panel.forget()
            panel.state = {}
            opened.append(seconds(lambda p=panel: p.send("on_load")))
        report(name, opened, bare)


def load(dataset):
    loaded_anew(dataset).load_run_results("kalos", cache=False)


def loaded_anew(dataset):
    """Load the data set as FiftyOne does for every event."""
    from fiftyone.core.odm import load_dataset

    return load_dataset(name=dataset.name, reload=True)


def time_clicks(dataset, panels):
    print(f"\n{'click, goal 2.00':<44}{'click':>9}{'view':>9}{'ratio':>8}")
    for name, handler, params in clicks(panels):
        panel, taken, bare = panels[name], [], []
        stages = click(panel, handler, params) or disputed(dataset)
        for _ in range(REPEATS):
            bare.append(seconds(lambda s=stages: set_by_hand(dataset, s)))
            panel.open_anew()
            taken.append(seconds(lambda c=(panel, handler, params): click(*c)))
        words = handler.removeprefix("on_").replace("_", " ")
        as_objects = ", as objects" if panel.state.get("as_units") else ""
        report(f"{name}: {words}{as_objects}", taken, bare)


def click(panel, handler, params):
    """Click, do what the App does then, and return the stages of the view, if any."""
    before = dict(panel.state)
    shown = panel.send(handler, **params).get("set_view")
    panel.state = before
    if shown is None:
        return None
    show(panel.dataset, shown["view"])
    return shown["view"]


def set_by_hand(dataset, stages):
    show(loaded_anew(dataset), without_patches(stages))


def clicks(panels):
    """Yield panel, handler and parameters of every click that shows something."""
    counts = [count for _, _, count in panels["agreement"].state["bins"]]
    fullest = {"idx": counts.index(max(counts[:-1]))}
    points = panels["localization"].state["points"]
    strict = next(n for n, point in enumerate(points) if point["n_changed"])
    kinds = panels["agreement"].state["kinds"]
    panels["agreement"].state["as_units"] = False
    yield "agreement", "on_click_bar", fullest
    yield "agreement", "on_show_all", {}
    yield "agreement", "on_click_kind", {"idx": kinds.index("missed")}
    panels["agreement"].state["as_units"] = True
    yield "agreement", "on_click_kind", {"idx": kinds.index("missed")}
    yield "raters", "on_click_rater", {"idx": 0}
    yield "raters", "on_click_pair", {"idx": [0, 1]}
    yield "localization", "on_click_threshold", {"idx": strict}
    yield "classes", "on_click_class", {"idx": 0}
    yield "classes", "on_click_confusion", {"idx": 0}
    yield "what_if", "on_click_bar", fullest
    yield "what_if", "on_show_worst", {}
    yield "inspector", "on_next", {}
    yield "inspector", "on_click_unit", {"row": 0}


def disputed(dataset):
    """Return the stages of the view of all disputed images, worst first."""
    view = dataset.match({"kalos_alpha": {"$lt": 1}}).sort_by("kalos_alpha")
    return view._serialize()


def without_patches(stages):
    """Return stages that know nothing of patches that were made before."""
    stages = copy.deepcopy(stages)
    for stage in stages:
        stage["kwargs"] = [pair for pair in stage["kwargs"] if pair[0] != "_state"]
    return stages


def show(dataset, stages):
    """Do what the App does to show a view: read, count, fetch the first page."""
    from fiftyone.core.view import DatasetView

    view = DatasetView._build(dataset, copy.deepcopy(stages))
    view.count()
    list(view._aggregate(post_pipeline=[{"$limit": PAGE}]))


def time_changes(panel, audits):
    print(f"\n{'what-if change, goal 0.05':<44}{'change':>9}{'audit':>9}{'ratio':>8}")
    panel.send("on_load")  # its controls are those that were drawn last
    for name, handler, values in (
        ("threshold", "on_tau", (0.3, 0.4, 0.35)),
        ("rater left out", "on_left_out", (["r0"], ["r3", "r4"], ["r9"])),
        ("classes", "on_classes", (["class 1"], ["class 2", "class 3"], [])),
        ("sizes", "on_sizes", (["large"], ["small", "medium"], [])),
        ("cost", "on_psi", ("neg", "soft", "neg")),
        *((f"solver {s}, audit by it", "on_solver", (s,)) for s in SOLVERS),
    ):
        taken = [
            seconds(lambda h=handler, v=value: panel.send(h, value=v))
            for value in values
        ]
        by = values[0] if handler == "on_solver" else ""
        report(name, [statistics.median(taken)], [audits[by]])


def report(name, taken, bare):
    taken, bare = min(taken), min(bare)
    print(f"{name:<44}{taken:>8.3f}s{bare:>8.3f}s{taken / bare:>8.3f}", flush=True)


class Panel:
    """A panel as the App drives it, with its state from one event to the next."""

    def __init__(self, panel, dataset):
        self.panel, self.dataset, self.state = panel, dataset, {}
        self.image = dataset.match({"kalos_alpha": {"$lt": 1}}).first().id

    def forget(self):
        """Have the plugin forget the runs that were asked for lately."""
        plugin = f"{type(self.panel).__module__.rpartition('.panels.')[0]}.operators"
        for name in ("stored", "what_if"):
            import_module(f"{plugin}.{name}")._RECENT.known.clear()

    def open_anew(self):
        """Open the panel with nothing remembered, and leave it as it was."""
        before = dict(self.state)
        self.forget()
        self.send("on_load")
        self.state = before

    def send(self, method, **params):
        """Run a handler, render what it leaves, and return what it asks the App for."""
        from fiftyone.operators.executor import ExecutionContext, Executor

        params |= {
            "__method__": method,
            "panel_id": "panel",
            "panel_state": dict(self.state),
        }
        request = {
            "dataset_name": self.dataset.name,
            "params": params,
            "current_sample": self.image,
        }
        ctx = ExecutionContext(request_params=request, executor=Executor())
        self.panel.execute(ctx)
        asked = {}
        for request in ctx.executor._requests:
            name = request.operator_uri.split("/")[-1]
            asked[name] = request.params
            if name == "patch_panel_state":
                self.state.update(request.params["state"])
        return asked


if __name__ == "__main__":
    main()
