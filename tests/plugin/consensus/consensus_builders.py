"""What tests of a consensus read back."""


def values(dataset, name, field="kalos_consensus"):
    return dataset.values(f"{field}.detections.{name}")


def without(record):
    return {name: value for name, value in record.items() if name != "kalos_consensus"}
