"""A saved question: `experiments/<name>.yaml` with its axes, for `posemb sweep --experiment`."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.grammar import KEY, written
from posemb.run.nearest import meant
from posemb.run.opening import first_line
from posemb.sweep.axes import Token

FOLDER = Path("experiments")
FIELDS = ("question", "overrides", "axes", "zip")


@dataclass(frozen=True)
class Experiment:
    """What the file says.

    Attributes:
        name: of the file.
        question: what it asks, or None.
        tokens: its overrides, then its axes.
        zipped: keys of the axes that go in step.
    """

    name: str
    question: str | None
    tokens: list[Token]
    zipped: list[str]


def read_experiment(named: str) -> Experiment:
    """Read `experiments/<named>.yaml`, or the file of that path.

    Raises:
        UsageError: there is none, or it says something that an experiment cannot.
    """
    path = _find(named)
    said = _load(path)
    for field in said:
        if field not in FIELDS:
            raise UsageError(f"{path}: there is no field {field}. {meant(str(field), FIELDS, 'Fields')}")
    question, overrides = said.get("question"), said.get("overrides") or []
    axes, zipped = said.get("axes") or {}, said.get("zip") or []
    if not isinstance(question, str | None):
        raise UsageError(f"{path}: question must be a sentence.")
    if not _are_strings(overrides) or not all(KEY.fullmatch(one) for one in overrides):
        raise UsageError(f"{path}: overrides must be a list of key=value, such as [task=last, train.steps=700].")
    if not isinstance(axes, Mapping) or not all(isinstance(key, str) for key in axes):
        raise UsageError(f"{path}: axes must map each key to its values, as in `position: [ape, rope]`.")
    if not _are_strings(zipped):
        raise UsageError(f"{path}: zip must be a list of axes, as in [position, train.lr].")
    return Experiment(
        name=path.stem,
        question=" ".join(question.split()) if question else None,
        tokens=[Token(one, f"{path}: {one}") for one in [*overrides, *_varied(axes, path)]],
        zipped=list(zipped),
    )


def _varied(axes: Mapping[str, Any], path: Path) -> list[str]:
    """Each axis as an override; a string is Hydra's grammar already: `range(0,5)`."""
    tokens = []
    for key, values in axes.items():
        if isinstance(values, list) and values:
            tokens.append(f"{key}=choice({','.join(map(written, values))})")
        elif isinstance(values, str):
            tokens.append(f"{key}={values}")
        else:
            raise UsageError(f"{path}: the axis {key} needs a list of values, or a string such as range(0,5).")
    return tokens


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _find(named: str) -> Path:
    for path in (Path(named), FOLDER / named, FOLDER / f"{named}.yaml"):
        if path.is_file():
            return path
    known = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    hint = meant(named, known, "Experiments") if known else f"There is no YAML file in the folder {FOLDER} here."
    looked = f"{FOLDER / named.removesuffix('.yaml')}.yaml"
    raise UsageError(f"--experiment {named}: neither {looked} nor a file of that path. {hint}")


def _load(path: Path) -> dict[str, Any]:
    import yaml

    try:
        said = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError(f"{path}: not readable as YAML: {first_line(error)}") from error
    if not isinstance(said, dict):
        raise UsageError(f"{path}: expected the fields {', '.join(FIELDS)}.")
    return said
