"""What the shell offers after TAB: options of a group, keys of the config, runs. Quick, and without torch.

Bash splits words at `=`, so for `position=ro` it asks about `ro` alone and wants `rope` back; zsh and fish ask about
the whole word. The shell's own variables tell which.
"""

import os
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from posemb.run.compose import CLASSES


def _named(group: str) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        before, comma, word = incomplete.rpartition(",")  # of several, as a sweep takes them, the last one
        return [f"{before}{comma}{name}" for name in _options(group) if name.startswith(word)]

    return complete


positions, ids, tasks = (_named(group) for group in CLASSES)


def devices(incomplete: str) -> list[str]:
    """Devices that a run may be given, as its settings name them."""
    from typing import get_args, get_type_hints

    from posemb.run.settings import Machine

    return [name for name in get_args(get_type_hints(Machine)["device"]) if name.startswith(incomplete)]


def shown(incomplete: str) -> list[str]:
    """Names that `show` knows, then run folders below the folder of all runs."""
    names = [name for group in CLASSES for name in _options(group)]
    return [word for word in [*names, *runs(incomplete)] if word.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Run folders below the folder of all runs."""
    # The inventory finds more, copies and half-written ones, and takes five times as long: too long for a key stroke.
    folder = Path(os.environ.get("POSEMB_RUNS") or "runs")
    return [str(path.parent) for path in sorted(folder.glob("*/*/*/manifest.json"))]


def selections(incomplete: str) -> list[str]:
    """What `runs`, `compare` and `report` take: run folders and the names of sweeps."""
    folder = Path(os.environ.get("POSEMB_RUNS") or "runs")
    names = sorted(plan.parent.name for plan in folder.glob("sweeps/*/sweep.json"))
    return [word for word in [*names, *runs(incomplete)] if word.startswith(incomplete)]


def experiments(incomplete: str) -> list[str]:
    """Saved questions in the folder `experiments`."""
    return [path.stem for path in sorted(Path("experiments").glob("*.yaml")) if path.stem.startswith(incomplete)]


def settings(incomplete: str) -> list[str]:
    """The rest of a `key=value` word, or the whole word where the shell does not split it."""
    before, word = _word(incomplete)
    candidates = _after_option(word) if word.startswith("--") else _settings(word)
    return [candidate.removeprefix(before) for candidate in candidates if candidate.startswith(word)]


def _settings(word: str) -> list[str]:
    key, equals, _ = word.partition("=")
    if equals:
        return _values(key)
    keys = [one for one in _keys() if one.startswith(word)]
    # One key alone would be followed by a space. Its values share the beginning `key=`, so the shell stops there.
    return (
        [f"{keys[0]}=", *(_values(keys[0]) or [f"{keys[0]}=null"])] if len(keys) == 1 else [f"{one}=" for one in keys]
    )


def _values(key: str) -> list[str]:
    """`key=value` for the options of a group, or for the value that stands in the config."""
    group = _options(key)
    if group:
        return [f"{key}={name}" for name in group]
    if key == "run.device":
        return [f"{key}={name}" for name in devices("")]
    value = _flat().get(key)
    return [] if value is None else [f"{key}={value}"]


def _after_option(word: str) -> list[str]:
    """`--position=ro`, which bash splits as it does `position=ro`."""
    option = word.partition("=")[0]
    return [f"{option}={name}" for name in _options(option.removeprefix("--"))]


def _word(incomplete: str) -> tuple[str, str]:
    """What stands before `incomplete` in its word, and the whole word, up to the cursor."""
    if "COMP_WORDS" not in os.environ:
        return "", incomplete
    words = os.environ["COMP_WORDS"].split("\n")
    place = int(os.environ.get("COMP_CWORD", len(words) - 1))
    current = words[place] if place < len(words) else ""
    if current == "=" and place >= 1:
        return f"{words[place - 1]}=", f"{words[place - 1]}="
    if place >= 2 and words[place - 1] == "=":
        return f"{words[place - 2]}=", f"{words[place - 2]}={current}"
    return "", current


def _options(group: str) -> list[str]:
    from posemb.run.compose import groups, options

    return list(options(group, _config_dir())) if group in groups() else []


def _keys() -> Iterable[str]:
    from posemb.run.compose import groups

    return [*groups(), "seed", *_flat()]


def _flat() -> dict[str, object]:
    """Every key that holds a value, in the config that the words so far compose to."""
    from posemb.errors import PosembError
    from posemb.run.compose import PARTS, compose

    words = _words()
    joined = [word.removeprefix("--") for word in words]
    apart = [f"{option[2:]}={value}" for option, value in pairwise(words) if option.startswith("--")]
    chosen = [word for word in [*joined, *apart] if word.partition("=")[0] in CLASSES and word.partition("=")[2]]
    try:
        config = compose(chosen, _config_dir())
    except PosembError:  # a word is not finished, or wrong: that is for the command to say
        config = compose([])
    return {
        f"{part}.{key}": value
        for part in PARTS
        for key, value in config[part].items()
        if key != "_target_" and not isinstance(value, dict)
    }


def _config_dir() -> Path | None:
    """The --config-dir among the words so far."""
    words = _words()
    for word, after in zip(words, [*words[1:], ""], strict=True):
        named = word.partition("=")[2] if word.startswith("--config-dir=") else after
        if word.partition("=")[0] == "--config-dir" and Path(named).is_dir():
            return Path(named)
    return None


def _words() -> list[str]:
    """The whole line, `key=value` in one piece, from bash or from another shell."""
    if "COMP_WORDS" in os.environ:
        return os.environ["COMP_WORDS"].replace("\n=\n", "=").split("\n")
    return os.environ.get("_TYPER_COMPLETE_ARGS", "").split()
