"""The forms that a trained model is given past its length: which scaling, aimed how far, tuned for how long."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

from posemb.errors import UsageError
from posemb.run.build import class_of
from posemb.run.folder import RunFolder
from posemb.run.nearest import meant
from posemb.run.target import called

PLAIN = "none"
AIMLESS = (PLAIN, "dynamic_ntk")  # these read no factor: one form is enough for all of them
# Multiples of the trained size that are evaluated: dense where methods break, then ever sparser.
WITHIN = (0.25, 0.5, 0.75, 1)
BEYOND = (1.05, 1.1, 1.2, 1.4, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64)


@dataclass(frozen=True)
class Wanted:
    """What was asked for.

    Attributes:
        scalings: their names; None takes all that the method has.
        factors: how many times the trained length they aim at.
        tune: fine-tuning steps, or None for none.
        temperatures: what every attention score is multiplied by.
        sizes: the sizes to evaluate; None takes a spread up to the largest factor.
        count: examples for each size; None takes the config's.
    """

    scalings: Sequence[str] | None = None
    factors: Sequence[float] = (2.0, 4.0, 8.0)
    tune: int | None = None
    temperatures: Sequence[float] = (1.0,)
    sizes: Sequence[int] | None = None
    count: int | None = None


@dataclass(frozen=True)
class Form:
    """One form of the trained model.

    Attributes:
        scaling: its name.
        factor: how many times the trained length it aims at, and is tuned at; None for an untuned one that reads none.
        tuned: fine-tuning steps.
    """

    scaling: str
    factor: float | None = None
    tuned: int = 0

    @property
    def label(self) -> str:
        """`pi, s = 2, tuned`."""
        aimed = "" if self.factor is None else f", s = {self.factor:g}"
        return f"{self.scaling}{aimed}{', tuned' if self.tuned else ''}"


@dataclass
class Extension:
    """What extending a run came to.

    Attributes:
        folder: the run.
        rows: of the curve, each with its scaling, factor, tuned and temperature; those of the plain model first.
        device: where they were computed.
        threads: with how many CPU threads.
        rate: the learning rate of fine-tuning.
        notes: what a reader must know, a line each.
        file: where the rows are, in the run's folder.
    """

    folder: RunFolder
    rows: list[dict[str, Any]]
    device: str
    threads: int
    rate: float
    notes: list[str] = field(default_factory=list)
    file: Path | None = None


def forms(config: Mapping[str, Any], wanted: Wanted) -> list[Form]:
    """The forms to evaluate, the plain one first: it is what the others are held against.

    Untuned, a scaling that reads no factor has one form. Tuned, every scaling has one for each factor, for the factor
    also says up to which size it is tuned. The plain one is among them, asked for or not: it shows what the steps
    come to alone.

    Raises:
        UsageError: the method has no such scaling.
    """
    hint = get_type_hints(class_of(config["position"]).__init__)["scaling"]
    known = [str(name) for name in get_args(hint)]
    names = list(dict.fromkeys(known if wanted.scalings is None else wanted.scalings))
    for name in names:
        if name not in known:
            method = called(config, "position")
            raise UsageError(f"--scaling {name}: {method} has none of that name. {meant(name, known, 'Scalings')}")
    made = [Form(PLAIN)]
    for name in names:
        made += [Form(name)] if name in AIMLESS else [Form(name, factor) for factor in wanted.factors]
    if wanted.tune is not None:
        made += [Form(name, factor, wanted.tune) for name in [PLAIN, *names] for factor in wanted.factors]
    return list(dict.fromkeys(made))


def spread(trained: int, factors: Sequence[float]) -> list[int]:
    """The sizes that show how far a model holds: some up to the trained size, and more up to the largest factor."""
    furthest = max(factors)
    multiples = [*WITHIN, *(multiple for multiple in BEYOND if multiple < furthest), *factors]
    return sorted({size for multiple in multiples if (size := at(trained, multiple)) > 0})


def at(trained: int, multiple: float) -> int:
    """The largest size within so many times the trained one."""
    return int(round(trained * multiple, 6))  # rounded first: 20 * 1.15 is 22.999999999999996
