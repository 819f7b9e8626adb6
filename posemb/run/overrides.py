"""Reading `key=value` as a person types it: what would be misread is quoted or refused here."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from posemb.errors import UsageError
from posemb.run.grammar import KEY, value_of
from posemb.run.nearest import meant, nearest


@dataclass(frozen=True)
class Setting:
    """One override.

    Attributes:
        typed: what the user typed, for messages: `--steps 5` where an option stands behind `train.steps=5`.
        sign: "", "+" (add a key) or "++" (set or add it).
        key: the dotted key, or a config group.
        text: the value in Hydra's grammar, quoted where it must be.
        value: the value as Hydra reads it.
    """

    typed: str
    sign: str
    key: str
    text: str
    value: Any

    @property
    def token(self) -> str:
        """The override as Hydra takes it."""
        return f"{self.sign}{self.key}={self.text}"


def read(token: str, typed: str, choices: Mapping[str, Collection[str]]) -> Setting:
    """One override, or a message that names it.

    Args:
        token: `key=value`.
        typed: what to call it in a message.
        choices: each config group and the names of its options.

    Raises:
        UsageError: a deletion, a sweep, a setting of Hydra, of `choice` or of a `_target_`, no option of its group, or
            no key=value.
    """
    if token.startswith("~"):
        raise UsageError(f"{typed}: a key cannot be deleted, only set: every part of the config is needed.")
    found = KEY.fullmatch(token)
    if not found:
        raise UsageError(f"{typed!r}: expected key=value. {_instead(token, choices)}")
    key = found["key"]
    if key.split(".")[0] == "hydra":
        raise UsageError(f"{typed}: settings of Hydra itself are not part of an experiment.")
    if key.split(".")[0] == "choice":
        raise UsageError(f"{typed}: choice only records which options were taken. Take one with position=NAME.")
    if key.rpartition(".")[2] == "_target_":
        group = key.partition(".")[0]
        raise UsageError(
            f"{typed}: a class is chosen by its option, as in {group}=NAME, never by _target_.\n"
            f"For a class of your own put DIR/{group}/NAME.yaml beside it and pass --config-dir DIR."
        )
    if key in choices and found["sign"]:
        raise UsageError(f"{typed}: {key} is a group with one choice: write {key}=NAME without {found['sign']}.")
    text, value = value_of(found["value"], typed, key)
    if key in choices and str(value) not in choices[key]:
        raise UsageError(f"{typed}: {key} has no option {found['value']!r}. {_known(str(value), choices[key])}")
    return Setting(typed, found["sign"], key, text, value)


def _known(word: str, names: Collection[str]) -> str:
    hint = meant(word, names)
    return f"{hint}\nChoices: {', '.join(names)}." if nearest(word, names) else hint


def _instead(token: str, choices: Mapping[str, Collection[str]]) -> str:
    """What a word without `=` may have been: most often the bare name of an option."""
    for group, names in choices.items():
        if token in names and token != "default":
            return f"Did you mean {group}={token}?"
    return "For example train.steps=500; `posemb train --cfg` prints all keys."


def spread(settings: Sequence[Setting]) -> list[Setting]:
    """`seed=3` stands for seed.init=3 and seed.data=3.

    Raises:
        UsageError: a key is set twice.
    """
    spreading: list[Setting] = []
    for setting in settings:
        if setting.key == "seed" and not isinstance(setting.value, dict):
            spreading += [replace(setting, key="seed.init"), replace(setting, key="seed.data")]
        else:
            spreading.append(setting)
    first: dict[str, Setting] = {}
    for setting in spreading:
        for key in _leaves(setting.key, setting.value):
            earlier = first.setdefault(key, setting)
            if earlier is not setting:
                raise UsageError(f"{key} is set twice: {earlier.typed} and {setting.typed}. Keep one.")
    return spreading


def _leaves(key: str, value: Any) -> Iterator[str]:
    """The keys that a value sets: `seed={init: 1, data: 2}` sets two."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{key}.{name}", inner)
    else:
        yield key


def unknown_key(setting: Setting, keys: Collection[str], empty: Collection[str] = ()) -> str:
    """The message for a key that no config has.

    Args:
        setting: which sets it.
        keys: that there are.
        empty: those of them that are null, and may hold keys once they are set.
    """
    parent, _, last = setting.key.rpartition(".")
    if parent in empty:
        added, whole = f"+{setting.token}", f"{parent}={{{last}: {setting.text}}}"
        return f"{setting.typed}: {parent} is null, and holds no keys yet. Write {added} or '{whole}'."
    siblings = [key.rpartition(".")[2] for key in keys if key.rpartition(".")[0] == parent]
    if parent and siblings:
        hint = meant(last, siblings, f"Keys of {parent}", f"{parent}.")
    else:
        near = nearest(setting.key, keys)
        hint = meant(setting.key, near or [key for key in keys if "." not in key], "Keys")
    return f"{setting.typed}: there is no key {setting.key}. {hint}"
