"""One rater's errors, in the strict order of the paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .candidates import Candidates
from .carry import Combinable, carried, united
from .category import mistaken
from .confusable import Confusable
from .drawn import ADDED, CATEGORY, LOCALIZATION, SPLIT, Drawn, together
from .localization import misplaced, shifted
from .parameters import NoiseParameters
from .proposals import Proposals
from .scene import Scene
from .topology import fragments, partners, ruptured
from .unmatched import imagined, imagined_class, missed, unmatched_events


@dataclass(frozen=True, eq=False, slots=True)
class Noise:
    """All that decides how raters err.

    Parameters
    ----------
    reference : all that they are to draw.
    parameters : how people err.
    confusable : which class is taken for which.
    proposals : what may be seen where nothing is.
    mark : begins what is appended to ids, and occurs in none of them.
    rng : chance.
    """

    reference: Drawn
    parameters: NoiseParameters
    confusable: Confusable
    proposals: Proposals
    mark: str
    rng: np.random.Generator

    def applied(self, scene: Scene, magnitude: float) -> tuple[Drawn, Candidates]:
        """Return what a rater draws, in no order, and the count of errors."""
        left = Candidates(len(scene.drawn))
        parts = [
            self._existence(scene, left, magnitude),
            *self._topology(scene, left, magnitude),
            self._category(scene, left, magnitude),
            self._localization(scene, left, magnitude),
        ]
        parts.append(scene.drawn.take(np.flatnonzero(left.free)))
        return together(parts), left

    def _existence(self, scene: Scene, left: Candidates, magnitude: float) -> Drawn:
        """Delete labels and return added ones, which no later stage changes."""
        law, rng, pool = self.parameters.unmatched, self.rng, scene.pool
        n_deleted, n_added = unmatched_events(scene, law, magnitude, rng)
        left.claim("unmatched", missed(scene, law, n_deleted, rng))
        place = imagined(scene, law, n_added, rng)
        left.count("unmatched", len(place))
        number, image = pool.index[place], pool.image[place]
        source = self.proposals.source[number]
        seen_as = self.reference.label[source]
        digits = number.astype(f"U{len(str(len(self.proposals)))}")
        return Drawn(
            image=image,
            label=imagined_class(scene, image, seen_as, self.confusable, rng),
            error=np.full(len(place), ADDED),
            shapes=carried(self.reference.shapes.take(source), pool.bounds[place]),
            annotation_id=np.char.add(f"{self.mark}added", digits),
            n_references=np.zeros(len(place), np.int64),
            reference=np.empty(0, np.int64),
        )

    def _topology(
        self, scene: Scene, left: Candidates, magnitude: float
    ) -> Iterator[Drawn]:
        """Yield first and second parts of split labels, and combined ones."""
        law, rng, drawn = self.parameters.topology, self.rng, scene.drawn
        shapes = drawn.shapes
        if not isinstance(shapes, Combinable):
            return
        split, combine = ruptured(scene, law, magnitude, rng)
        parent = left.claim("topology", split)
        children = fragments(scene.bounds[parent], law, rng)
        for number, bounds in enumerate(children, 1):
            part = carried(shapes.take(parent), bounds)
            suffix = f"{self.mark}part{number}"
            yield drawn.redrawn(parent, part, SPLIT, suffix=suffix)
        wanted = rng.permutation(partners(scene, law, combine, rng))
        left.combining[combine] = True
        left.n_unpaired += len(combine) - len(wanted)
        pair = left.claim_all("topology", wanted)
        both = united(*(shapes.take(end) for end in pair.T))
        yield drawn.combined(pair, both, f"{self.mark}combined")

    def _category(self, scene: Scene, left: Candidates, magnitude: float) -> Drawn:
        """Return labels of a mistaken class, shifted by a law of their own."""
        law, rng, drawn = self.parameters.category, self.rng, scene.drawn
        wanted = mistaken(scene, law, self.confusable, magnitude, rng)
        source = left.claim("category", wanted)
        bounds = shifted(scene.bounds[source], law, magnitude, rng)
        shapes = carried(drawn.shapes.take(source), bounds)
        label = self.confusable.draw(drawn.label[source], rng)
        return drawn.redrawn(source, shapes, CATEGORY, label=label)

    def _localization(self, scene: Scene, left: Candidates, magnitude: float) -> Drawn:
        """Return shifted labels."""
        law, drawn = self.parameters.localization, scene.drawn
        source = left.claim("localization", misplaced(scene, magnitude))
        bounds = shifted(scene.bounds[source], law, magnitude, self.rng)
        shapes = carried(drawn.shapes.take(source), bounds)
        return drawn.redrawn(source, shapes, LOCALIZATION)
