"""What to type for a run again."""

from typing import TYPE_CHECKING

from posemb.errors import PosembError

from .friendly import KEYS

if TYPE_CHECKING:
    from posemb.run.folder import RunFolder

OPTIONS = {key: option for option, key in KEYS.items()}


def train_words(folder: "RunFolder") -> list[str]:
    """`train` with all that makes this run, the program's name left out.

    What a person typed is taken as it was typed. A sweep's job was never typed: it gets the options that people know,
    and every key that differs from what they would give alone.
    """
    manifest = folder.manifest
    typed = list((manifest.get("processes") or [manifest])[0].get("argv") or [])[1:]
    if typed[:1] == ["train"]:
        return typed
    try:
        return _told(folder)
    except PosembError:  # an option of the user's own, whose folder is not known here
        return typed


def _told(folder: "RunFolder") -> list[str]:
    """The run in options and overrides, from its config alone.

    Raises:
        UsageError: it has an option that posemb does not bring.
    """
    from posemb.run.compose import compose
    from posemb.run.flat import flat
    from posemb.run.grammar import written

    config = folder.config
    choice, seed = config["choice"], config["seed"]
    common = flat(compose([f"{group}={name}" for group, name in choice.items()]))
    words, keys = ["train"], []
    for group, name in choice.items():
        if (group, name) != ("ids", "sequential"):
            words += [f"--{group}", str(name)]
    same = seed["init"] == seed["data"]
    words += ["--seed", str(seed["init"])] if same else []
    keys += [] if same else [f"seed.{which}={value}" for which, value in seed.items()]
    words += ["--threads", str(folder.manifest["threads"])]
    for key, value in flat(config).items():
        if key in choice or key.startswith("seed.") or (key in common and common[key] == value):
            continue
        if key in OPTIONS:
            words += [f"--{OPTIONS[key]}", written(value).strip("[]")]
        else:
            keys.append(f"{key}={written(value)}")
    return words + keys
