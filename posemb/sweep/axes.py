"""The axes of a sweep: what varies, which values it takes, and which combinations there are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod

from posemb.errors import UsageError
from posemb.run.grammar import KEY, alternatives
from posemb.run.nearest import meant


@dataclass(frozen=True)
class Token:
    """One override, as Hydra takes it and as the user wrote it: `--steps 5` stands behind `train.steps=5`."""

    text: str
    typed: str

    @property
    def key(self) -> str:
        """What it sets, or the text where that is no override."""
        found = KEY.fullmatch(self.text)
        return found["key"] if found else self.text


@dataclass(frozen=True)
class Axis:
    """One thing that varies.

    Attributes:
        key: the config key or group.
        values: what it takes, in Hydra's grammar.
        before: what stands before the value in an override: `+key=` and the like.
        typed: the same as the user wrote it: `--position `.
    """

    key: str
    values: list[str]
    before: str
    typed: str

    def token(self, value: str) -> Token:
        """The override that sets one of its values."""
        return Token(self.before + value, self.typed + value)


@dataclass(frozen=True)
class Axes:
    """Axes that are crossed, some of them perhaps in step.

    Attributes:
        axes: in the order in which they were named.
        zipped: the keys of those that go in step.
        fixed: overrides that all jobs share.
    """

    axes: list[Axis]
    zipped: list[str]
    fixed: list[Token]

    def __len__(self) -> int:
        """How many combinations there are."""
        return prod(len(block[0].values) for block in self._blocks())

    def combinations(self) -> Iterator[dict[str, Token]]:
        """For each job the override of each axis.

        The seed varies slowest: the first seed of everything comes first, so that a sweep that is stopped early leaves
        something to compare. Of the others the last one varies fastest.
        """
        steps = [
            [{axis.key: axis.token(value) for axis, value in zip(block, values, strict=True)} for values in together]
            for block in self._blocks()
            for together in [list(zip(*(axis.values for axis in block), strict=True))]
        ]
        for chosen in product(*steps):
            merged = dict(chain.from_iterable(one.items() for one in chosen))
            yield {axis.key: merged[axis.key] for axis in self.axes}

    def _blocks(self) -> list[list[Axis]]:
        together = [axis for axis in self.axes if axis.key in self.zipped]
        alone = [[axis] for axis in self.axes if axis.key not in self.zipped]
        blocks = [*([together] if together else []), *alone]
        first = min((self.axes.index(axis) for axis in together), default=0)
        if together:  # the zipped ones stand where the first of them was named
            blocks = sorted(blocks, key=lambda block: first if block is together else self.axes.index(block[0]))
        return sorted(blocks, key=lambda block: not any(axis.key.split(".")[0] == "seed" for axis in block))


def read_axes(tokens: Sequence[Token], zipped: Sequence[str], choices: Mapping[str, Collection[str]]) -> Axes:
    """Tell what varies from what is fixed.

    Args:
        tokens: overrides, each with one value or several.
        zipped: keys of axes that go in step.
        choices: each config group and the names of its options.

    Raises:
        UsageError: an axis has no countable values; a zipped key is no axis, or its number of values is another one.
    """
    axes, fixed = [], []
    for token in tokens:
        values = alternatives(token.text, token.typed, choices)
        if values is None:
            fixed.append(token)
            continue
        # Both `--position a,b` and `position=a,b` end with the values, as they were typed.
        said = token.text[KEY.fullmatch(token.text).start("value") :]  # type: ignore[union-attr]
        axes.append(Axis(token.key, values, token.text.removesuffix(said), token.typed.removesuffix(said)))
    for axis in axes:
        if [one.key for one in axes].count(axis.key) > 1:
            raise UsageError(f"{axis.key} is set twice, and both times to several values. Keep one.")
    _in_step(axes, zipped)
    return Axes(axes, list(zipped), fixed)


def _in_step(axes: Sequence[Axis], zipped: Sequence[str]) -> None:
    known = {axis.key: axis for axis in axes}
    for key in zipped:
        if key not in known:
            raise UsageError(f"--zip {key}: no axis is called that. {meant(key, known, 'Axes')}")
    if len(zipped) == 1 or len(set(zipped)) < len(zipped):
        raise UsageError(f"--zip {','.join(zipped)}: name two axes or more, each once, as in --zip position,train.lr.")
    if len({len(known[key].values) for key in zipped}) > 1:
        counts = ", ".join(f"{key} {len(known[key].values)}" for key in zipped)
        raise UsageError(f"--zip {','.join(zipped)}: axes in step need equally many values, and they have: {counts}.")
