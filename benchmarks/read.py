"""Reading 100,000 detections into Annotations against the bare values() call."""

import importlib
import statistics
import time

from scripts.sandbox import enter

N_SAMPLES, N_RATERS, N_EACH, N_REPEATS = 5000, 4, 5, 7


def main():
    enter("bench")
    import fiftyone as fo
    import fiftyone.operators as foo

    from benchmarks.large import store

    foo.get_operator("@kalos/audit/compute_agreement")
    plugin = "fiftyone.plugins.orgs.kalos.audit.operators"
    fields = importlib.import_module(f"{plugin}.fields")
    layouts = importlib.import_module(f"{plugin}.layouts")
    raters = [f"rater_{number}" for number in range(N_RATERS)]

    def boxes(**attributes):
        box = {"label": "cat", "bounding_box": [0.1, 0.1, 0.2, 0.2]}
        return [fo.Detection(**box, **attributes) for _ in range(N_EACH)]

    every = [box for rater in raters for box in boxes(rater=rater)]
    one = fo.Sample("x.jpg", gt=fo.Detections(detections=every), raters=raters)
    each = fo.Sample("x.jpg", **{r: fo.Detections(detections=boxes()) for r in raters})
    columns = ("id", "label", "bounding_box")
    total = N_SAMPLES * N_RATERS * N_EACH
    print(f"{total:,} detections, median of {N_REPEATS} reads; goal: ratio at most 2")
    print(f"{'layout':<16}{'values()':>10}{'read':>10}{'ratio':>8}")
    for sample, layout, paths in (
        (
            one,
            layouts.OneField("gt"),
            ["id", "raters", *(f"gt.detections.{c}" for c in ("rater", *columns))],
        ),
        (
            each,
            layouts.FieldPerRater(tuple(raters)),
            ["id", *(f"{r}.detections.{c}" for r in raters for c in columns)],
        ),
    ):
        dataset = store(sample, N_SAMPLES, "kalos-bench")
        bare, read = [], []
        for _ in range(N_REPEATS):
            bare.append(seconds(lambda d=dataset, p=paths: d.values(p)))
            read.append(
                seconds(lambda d=dataset, l=layout: fields.read_annotations(d, l))
            )
        bare, read = statistics.median(bare), statistics.median(read)
        print(f"{layout.layout:<16}{bare:>9.2f}s{read:>9.2f}s{read / bare:>8.2f}")
        dataset.delete()


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
