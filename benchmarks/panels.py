"""What panels cost on 15,000 images: a what-if change against the whole audit.

A change is the handler of the panel with all that it draws: match again, compare with
the run, list the worst images. It may take a twentieth of the audit.
"""

import statistics

from benchmarks import workloads
from benchmarks.audit import seconds, stored
from scripts.sandbox import enter

GOAL = 1 / 20
AUDITS = 2


def main():
    enter("bench")
    import fiftyone as fo
    import fiftyone.operators as foo

    compute = foo.get_operator("@kalos/audit/compute_agreement")
    dataset = stored(fo, workloads.vindr())
    audited = [
        seconds(lambda: compute(dataset, "gt", overwrite=True)) for _ in range(AUDITS)
    ]
    audit = statistics.median(audited)
    panel = Panel(foo.get_operator("@kalos/audit/kalos_what_if"), dataset)
    panel.send("on_load")
    print(f"{len(dataset):,} samples, audited in {audit:.2f}s; goal: {GOAL:.3f} of it")
    print(f"{'what-if':<20}{'change':>10}{'ratio':>8}")
    for name, handler, values in (
        ("threshold", "on_tau", (0.3, 0.4, 0.35)),
        ("rater left out", "on_left_out", (["r0"], ["r3", "r4"], ["r9"])),
        ("classes", "on_classes", (["class 1"], ["class 2", "class 3"], [])),
        ("sizes", "on_sizes", (["large"], ["small", "medium"], [])),
        ("cost", "on_psi", ("neg", "soft", "neg")),
    ):
        taken = [
            seconds(lambda h=handler, v=value: panel.send(h, value=v))
            for value in values
        ]
        change = statistics.median(taken)
        print(f"{name:<20}{change:>9.2f}s{change / audit:>8.3f}")
    dataset.delete()


class Panel:
    """A panel as the App drives it, with its state from one event to the next."""

    def __init__(self, panel, dataset):
        self.panel, self.dataset, self.state = panel, dataset, {}

    def send(self, method, **params):
        """Run a handler and render what it leaves."""
        from fiftyone.operators.executor import ExecutionContext, Executor

        params |= {
            "__method__": method,
            "panel_id": "panel",
            "panel_state": dict(self.state),
        }
        request = {"dataset_name": self.dataset.name, "params": params}
        ctx = ExecutionContext(request_params=request, executor=Executor())
        self.panel.execute(ctx)
        for asked in ctx.executor._requests:
            if asked.operator_uri.split("/")[-1] == "patch_panel_state":
                self.state.update(asked.params["state"])


if __name__ == "__main__":
    main()
