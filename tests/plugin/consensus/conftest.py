"""The operator, and a data set for it to work on."""

import pytest
from plugin_builders import operator


@pytest.fixture
def create():
    return operator("create_consensus")


@pytest.fixture
def audited(compute, dataset):
    compute(dataset, "gt")
    return dataset
