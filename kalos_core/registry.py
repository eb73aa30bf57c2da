"""A table from the names in a configuration to what they stand for."""

from __future__ import annotations

from typing import TypeVar

from .errors import KalosError

T = TypeVar("T")


class Registry(dict[str, T]):
    """A dict whose missing keys raise an error that lists the choices.

    Examples
    --------
    >>> Registry("solver", greedy=1, shm=2)["gredy"]
    Traceback (most recent call last):
    kalos_core.errors.KalosError: unknown solver 'gredy'; choose from greedy, shm
    """

    def __init__(self, what: str, **entries: T) -> None:
        super().__init__(entries)
        self.what = what

    def __getitem__(self, name: str) -> T:
        # A list cannot even be looked up, and is as unknown as any other name.
        if not isinstance(name, str):
            return self.__missing__(name)
        return super().__getitem__(name)

    def __missing__(self, name: str) -> T:
        choices = ", ".join(sorted(map(str, self)))
        raise KalosError(f"unknown {self.what} {name!r}; choose from {choices}")
