"""Reading the two files that make a folder a run, and saying what is wrong where they do not."""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError, UsageError
from posemb.run.compose import CLASSES, PARTS
from posemb.run.manifest import SCHEMA

CONFIG, MANIFEST = "config.yaml", "manifest.json"
SWEEP = "sweep.json"  # beside it lies what a sweep leaves, and no run
# What a manifest must have, whoever reads it.
NEEDED = ("config_hash", "corpus", "parameters", "trained_length", "device", "threads", "timings", "error")
# Of which type that is, and what else a manifest may say. What a reader takes out of these is held too: `_wrong`.
TYPES: dict[str, Any] = {
    **dict.fromkeys(("state", "config_hash", "device"), str),
    **dict.fromkeys(("parameters", "trained_length", "threads", "steps"), int),
    **dict.fromkeys(("corpus", "error", "started", "finished", "platform", "cpu"), str | None),
    **dict.fromkeys(("timings", "seed"), dict),
    **dict.fromkeys(("versions", "git"), dict | None),
    **dict.fromkeys(("argv", "processes"), list | None),
}
GIT = {"commit": str, "dirty": bool | None}
# What every reader of a config goes by, and of which type it is.
NAMED: dict[str, type] = {f"choice.{group}": str for group in CLASSES}
NAMED |= {"seed.init": int, "seed.data": int, "train.size": int}


def dump_config(config: Mapping[str, Any]) -> bytes:
    """A config as YAML that loads back equal."""
    import yaml

    return yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True).encode()


def read_config(path: Path) -> dict[str, Any]:
    """The config of the run folder `path`.

    Raises:
        RunFolderError: it is missing, torn or cannot be read.
    """
    import yaml

    try:
        config = _loaded(_text(path, CONFIG))
    except (yaml.YAMLError, UnicodeDecodeError) as damage:
        raise RunFolderError(f"{path / CONFIG} is damaged: {first_line(damage)}.") from damage
    missing = [part for part in ("choice", *PARTS) if not isinstance(config, dict) or part not in config]
    if missing:
        raise RunFolderError(f"{path} is half-written: its {CONFIG} lacks {', '.join(missing)}. Start the run again.")
    wrong = [part for part in PARTS if not isinstance(config[part], dict)]
    wrong += [key for key in NAMED if not isinstance(_at(config, key), NAMED[key])]
    if wrong:
        raise RunFolderError(f"{path / CONFIG} is damaged: {', '.join(wrong)} cannot be what a run was made with.")
    return config


def _loaded(text: str) -> Any:
    """What YAML says, read by libyaml where PyYAML is built with it: that takes a seventh of the time."""
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:  # libyaml refuses what stands for a byte that is no UTF-8, in a path say
        return yaml.safe_load(text)


def _at(config: Mapping[str, Any], key: str) -> Any:
    part, _, name = key.partition(".")
    inner = config[part]
    return inner.get(name) if isinstance(inner, dict) else None


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of the run folder `path`.

    Raises:
        RunFolderError: it is missing, torn, from a newer posemb or cannot be read.
    """
    try:
        manifest = json.loads(_text(path, MANIFEST))
    except ValueError as damage:
        raise RunFolderError(f"{path} is half-written: its {MANIFEST} is not whole JSON ({damage}).") from damage
    schema = manifest.get("schema") if isinstance(manifest, dict) else None
    if not isinstance(schema, int) or "state" not in manifest:
        raise RunFolderError(f"{path} is half-written: its {MANIFEST} names no schema or no state.")
    if schema > SCHEMA:
        raise RunFolderError(
            f"{path} was written by a newer posemb (schema {schema}; this one reads {SCHEMA}): upgrade posemb."
        )
    missing = [key for key in NEEDED if key not in manifest]
    if missing:
        raise RunFolderError(f"{path} is half-written: its {MANIFEST} lacks {', '.join(missing)}. Start the run again.")
    if wrong := _wrong(manifest):
        raise RunFolderError(f"{path / MANIFEST} is damaged: {', '.join(wrong)} cannot be what a run wrote.")
    return manifest


def _wrong(said: Mapping[str, Any]) -> list[str]:
    """The keys of a manifest, or of one of its processes, that hold something of another kind than a run writes."""
    wrong = [key for key, value in said.items() if key in TYPES and not isinstance(value, TYPES[key])]
    inside = {
        "timings": lambda timings: all(isinstance(value, int | float) for value in timings.values()),
        "versions": lambda versions: all(isinstance(value, str | None) for value in versions.values()),
        "argv": lambda argv: all(isinstance(word, str) for word in argv),
        "git": lambda git: all(isinstance(git.get(key), kind) for key, kind in GIT.items()),
        "processes": lambda processes: all(isinstance(one, dict) and not _wrong(one) for one in processes),
    }
    return wrong + [key for key, holds in inside.items() if key not in wrong and said.get(key) and not holds(said[key])]


def _text(path: Path, name: str) -> str:
    try:
        return (path / name).read_text(encoding="utf-8")
    except FileNotFoundError as missing:
        raise RunFolderError(f"{path} is half-written: it has no {name}. Start the run again.") from missing
    except OSError as refusal:
        raise RunFolderError(f"Cannot read {path / name}: {refusal.strerror}.") from refusal


def refuse_other(path: Path) -> None:
    """See to it that a folder is, or was to be, a run.

    Raises:
        UsageError: it is missing, or holds no run. The message says what to look at instead.
        RunFolderError: it cannot be read.
    """
    try:
        inside = os.listdir(path)
    except (FileNotFoundError, NotADirectoryError) as missing:
        raise UsageError(f"There is no run folder at {path}.{_instead(path, path.parent, '*')}") from missing
    except OSError as refusal:
        raise RunFolderError(f"Cannot read {path}: {refusal.strerror}.") from refusal
    if CONFIG not in inside and MANIFEST not in inside:
        what = f"{path} is a sweep, and" if SWEEP in inside else f"{path} is"
        near = _instead(path, path, "*", "*/*", "*/*/*")
        raise UsageError(f"{what} not a run folder: it has no {MANIFEST}.{near}")


def _instead(path: Path, near: Path, *depths: str) -> str:
    """What to look at in place of `path`: its sweep, or a few runs in `near`, at depths such as `*/*`; and all runs."""
    plans = [path / SWEEP, Path(os.environ.get("POSEMB_RUNS") or "runs", "sweeps", path.name, SWEEP)]
    if any(map(os.path.isfile, plans)):
        return f"\nTo see the runs of this sweep: posemb runs {shlex.quote(path.name)}"
    found = sorted(manifest.parent for depth in depths for manifest in near.glob(f"{depth}/{MANIFEST}"))
    some = "" if not found else "\nRuns near it: " + ", ".join(str(run) for run in found[:3])
    return f"{some}\nTo see what there is: posemb runs"


def first_line(error: BaseException) -> str:
    """What an error says, in one line."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
