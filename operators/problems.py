"""Why a form cannot be executed, said on top of it."""

import fiftyone.operators.types as types

PROBLEM, NOTHING = ON_TOP = ("problem", "nothing")


def refuse(inputs, why):
    """Disable Execute and say why; what is said first stays.

    Whoever executes the operator without the form gets the same words.
    """
    _say(inputs, PROBLEM, types.Warning(label=str(why)), why)


def nothing_to_do(inputs, why):
    """Disable Execute where there is nothing yet to choose from."""
    _say(inputs, NOTHING, types.Notice(label=str(why)), why)


def _say(inputs, name, view, why):
    if name in inputs.properties:
        return
    said = inputs.view(name, view)
    said.invalid, said.error_message = True, str(why)
    first = sorted(inputs.properties.items(), key=lambda item: item[0] not in ON_TOP)
    inputs.properties.clear()
    inputs.properties.update(first)
