"""The parameters of the noise generator, one group for each channel of errors.

They are plain numbers in one readable JSON file: ``defaults.json`` beside this module,
or what was fitted to a data set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from math import inf, isfinite, log
from numbers import Real
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ..checks import shown
from ..errors import KalosError
from ..plain import plain
from .laws import (
    AxialVonMises,
    Beta,
    CardinalMixture,
    FoldedT,
    Logistic,
    PoissonRate,
    check_law,
)

DEFAULTS = Path(__file__).with_name("defaults.json")

HALF = 0.5

Group = TypeVar("Group")


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a shape is moved, and how its sides change.

    ``translation`` is a part of the image's sides, ``width`` and ``height`` are
    absolute logarithms of a ratio.
    """

    translation: FoldedT
    width: FoldedT
    height: FoldedT

    def halved(self) -> Shift:
        """Return shifts with half of the variance."""
        laws = (self.translation, self.width, self.height)
        return Shift(*(law.times(HALF**0.5) for law in laws))


@dataclass(frozen=True, slots=True)
class Localization:
    """Shift of what is otherwise right, along the axes of the image."""

    shift: Shift
    direction: CardinalMixture


@dataclass(frozen=True, slots=True)
class Category:
    """How often a class is mistaken, for which one, and the shift of such labels."""

    rate: float
    temperature: float
    n_nearest: int
    shift: Shift
    direction: AxialVonMises

    def __post_init__(self) -> None:
        check_law(0 <= self.rate <= 1, self, "a rate from 0 to 1")
        right = 0 < self.temperature < inf and 1 <= self.n_nearest < inf
        check_law(right, self, "a temperature above 0 and at least one nearest class")


@dataclass(frozen=True, slots=True)
class Unmatched:
    """How many objects only one of two raters has, and of which size.

    ``added`` is the part of events that adds a label; the others delete one.
    """

    rate: PoissonRate
    susceptibility: Logistic
    added: float

    def __post_init__(self) -> None:
        check_law(0 <= self.added <= 1, self, "a part of added labels from 0 to 1")


@dataclass(frozen=True, slots=True)
class Topology:
    """Which objects fall into two or are drawn as one, and where the children lie.

    ``shift`` leads from parent to child, ``direction`` to the first one; ``width`` and
    ``height`` of the shift are the logarithm of how much smaller a child is, with
    ``kappa`` taken from their intercepts. ``angle`` lies between the children, seen
    from the parent's centre. ``fragmented`` is the part of events that splits; the
    others combine.
    """

    susceptibility: Logistic
    shift: Shift
    direction: CardinalMixture
    angle: Beta
    kappa: float
    fragmented: float

    def __post_init__(self) -> None:
        check_law(isfinite(self.kappa), self, "a finite kappa")
        check_law(0 <= self.fragmented <= 1, self, "a part of splits from 0 to 1")

    @property
    def sides(self) -> tuple[FoldedT, FoldedT]:
        """The logarithms by which width and height shrink, kappa taken from them."""
        width, height = (
            replace(law, intercept=law.intercept - self.kappa)
            for law in (self.shift.width, self.shift.height)
        )
        return width, height


@dataclass(frozen=True, slots=True)
class NoiseParameters:
    """All that the generator knows of how people err.

    ``source`` says where the numbers come from, by group or by "group.name";
    ``alternatives`` holds numbers of other data sets, which nothing uses by itself.
    """

    unmatched: Unmatched
    topology: Topology
    category: Category
    localization: Localization
    source: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, Mapping[str, float]] = field(
        default_factory=dict, compare=False
    )

    def halved(self) -> NoiseParameters:
        """Return half of the errors for each of two raters.

        Parameters hold what two raters do differently. As in the paper, a synthetic
        rater gets all of it and differs from the reference as one person from another;
        two of them then differ about twice as much. With half of it each, half of the
        chances and of the variance of shifts, two of them differ from each other as two
        people do, and the reference is the truth that both err from. What a split looks
        like stays the same.
        """
        unmatched, topology = self.unmatched, self.topology
        rate, chance = unmatched.rate, topology.susceptibility
        return NoiseParameters(
            replace(
                unmatched, rate=replace(rate, intercept=rate.intercept + log(HALF))
            ),
            replace(
                topology,
                susceptibility=replace(chance, intercept=chance.intercept + log(HALF)),
            ),
            replace(
                self.category,
                rate=HALF * self.category.rate,
                shift=self.category.shift.halved(),
            ),
            replace(self.localization, shift=self.localization.shift.halved()),
            self.source,
        )

    def as_json(self) -> dict[str, Any]:
        """Return plain values, as in the JSON file."""
        values: dict[str, Any] = plain(self)
        return values

    @classmethod
    def from_json(cls, values: object, where: str = "parameters") -> NoiseParameters:
        """Return the parameters that plain values hold; ``where`` begins errors."""
        if isinstance(values, Mapping) and "parameters" in values:
            raise KalosError(
                f"{where} must be an object of {_names(cls)}, got all of a fit: "
                f"{', '.join(map(str, values))}. Take its ['parameters']."
            )
        return _build(cls, values, where)

    @classmethod
    def read(cls, path: str | Path) -> NoiseParameters:
        """Return the parameters in a JSON file."""
        where = f"file {str(path)!r}"
        try:
            values = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise KalosError(f"{where} cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise KalosError(f"{where} is not JSON: {error}") from error
        return cls.from_json(values, where)

    def write(self, path: str | Path) -> None:
        """Write the parameters as readable JSON."""
        text = json.dumps(self.as_json(), indent=2, ensure_ascii=False)
        Path(path).write_text(text + "\n", encoding="utf-8")


def check_parameters(name: str, given: object) -> None:
    """Raise where an argument is neither parameters nor None."""
    if given is None or isinstance(given, NoiseParameters):
        return
    remedy = "NoiseParameters.from_json(values) takes plain values"
    if isinstance(given, str | Path):
        remedy = "NoiseParameters.read(path) reads a file"
    raise KalosError(
        f"{name} must be NoiseParameters, or None for those that come with KαLOS, got "
        f"{type(given).__name__} {shown(given)}; {remedy}"
    )


@cache
def default_parameters() -> NoiseParameters:
    """Return the parameters that come with KαLOS; each group names its source."""
    return NoiseParameters.read(DEFAULTS)


def _build(cls: type[Group], values: object, where: str) -> Group:
    """Return a dataclass of plain values; errors name the path to what is wrong."""
    if not isinstance(values, Mapping):
        raise KalosError(f"{where} must be an object of {_names(cls)}, got {values!r}")
    unknown = sorted(set(values) - {f.name for f in fields(cls)})  # type: ignore[arg-type]
    if unknown:
        raise KalosError(f"{where}: unknown {unknown[0]!r}; expected {_names(cls)}")
    given = {}
    for name, kind in get_type_hints(cls).items():
        if name not in values:
            if name in ("source", "alternatives", "areas"):
                continue
            raise KalosError(f"{where} lacks {name!r}; expected {_names(cls)}")
        given[name] = _value(kind, values[name], f"{where}, {name}")
    try:
        return cls(**given)
    except KalosError as error:
        raise KalosError(f"{where}: {error}") from None


def _value(kind: Any, value: object, where: str) -> Any:
    if is_dataclass(kind):
        return _build(kind, value, where)  # type: ignore[arg-type]
    if kind is int:
        return _whole(value, where)
    if kind is float:
        return _number(value, where)
    if kind is str:
        if not isinstance(value, str):
            raise KalosError(f"{where} must be a text, got {value!r}")
        return value
    if get_origin(kind) is tuple:
        n = len(get_args(kind))
        if not isinstance(value, list | tuple) or len(value) != n:
            raise KalosError(f"{where} must be a list of {n} numbers, got {value!r}")
        return tuple(_number(each, where) for each in value)
    if not isinstance(value, Mapping):
        raise KalosError(f"{where} must be an object, got {value!r}")
    _, inner = get_args(kind)
    return {
        str(name): _value(inner, one, f"{where}, {name}") for name, one in value.items()
    }


def _number(value: object, where: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise KalosError(f"{where} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise KalosError(f"{where} must be a number below 1e308, got more") from None


def _whole(value: object, where: str) -> int:
    number = _number(value, where)
    if not number.is_integer():
        raise KalosError(f"{where} must be a whole number, got {value!r}")
    return int(number)


def _names(cls: type) -> str:
    return ", ".join(f.name for f in fields(cls))
