"""From the words of a sweep to its axes and its name."""

from collections.abc import Sequence
from hashlib import blake2s
from pathlib import Path
from typing import TYPE_CHECKING

from posemb.errors import UsageError

if TYPE_CHECKING:
    from posemb.sweep.axes import Axes, Token


def axes_of(
    typed: Sequence[tuple[str, str]], experiment: str | None, zipped: str | None, config_dir: Path | None
) -> tuple["Axes", str | None, str | None]:
    """The axes, the question and the name that an experiment's file and the command line make together.

    Args:
        typed: each override, and how it was typed.
        experiment: the name or the file of a saved question.
        zipped: keys with commas between.
        config_dir: a folder of the user's own options.

    Raises:
        UsageError: nothing varies, or something cannot.
    """
    from posemb.run.compose import groups
    from posemb.run.compose import options as group_options
    from posemb.sweep.axes import Token, read_axes
    from posemb.sweep.experiment import read_experiment

    tokens = [Token(text, said) for text, said in typed]
    in_step = zipped.split(",") if zipped else []
    question = called = None
    if experiment is not None:
        saved = read_experiment(experiment)
        question, called = saved.question, saved.name
        tokens = _beside(saved.tokens, tokens)
        in_step = in_step or saved.zipped
    axes = read_axes(tokens, in_step, {group: group_options(group, config_dir) for group in groups()})
    if not axes.axes:
        _check_one(axes, config_dir)
        raise UsageError(
            "Nothing varies: give an option or a key several values, as in --seed 0,1,2 or train.lr=0.001,0.003.\n"
            "For one run: posemb train"
        )
    return axes, question, called


def _check_one(axes: "Axes", config_dir: Path | None) -> None:
    """A mistake in a value is told before that nothing varies: `0..2` may have been meant to.

    Raises:
        UsageError: the one config is wrong.
    """
    from posemb.run.check import check
    from posemb.run.compose import compose

    tokens = axes.fixed
    check(compose([token.text for token in tokens], config_dir, [token.typed for token in tokens]), config_dir)


def _beside(saved: Sequence["Token"], typed: Sequence["Token"]) -> list["Token"]:
    """What the file says, with what was typed in its place."""
    replaced = {token.key for token in typed}
    kept = [token for token in saved if token.key not in replaced]
    places = {token.key: place for place, token in reversed(list(enumerate(saved)))}
    # What replaces an axis of the file stands where that stood; what is new comes last.
    order = [(places[token.key], token) for token in [*kept, *typed] if token.key in places]
    new = [token for token in typed if token.key not in places]
    return [*(token for _, token in sorted(order, key=lambda one: one[0])), *new]


def default_name(axes: "Axes") -> str:
    """The axes' last words and a hash of everything: the same command means the same sweep."""
    said = [*axes.zipped, *(token.text for token in axes.fixed), *(f"{axis.before}{axis.values}" for axis in axes.axes)]
    words = dict.fromkeys(axis.key.rpartition(".")[2] for axis in axes.axes)
    return f"{'-'.join(words)}-{blake2s(repr(said).encode(), digest_size=3).hexdigest()}"


def checked_name(name: str) -> str:
    """The name of a sweep, which becomes that of a folder.

    Raises:
        UsageError: it cannot.
    """
    if not name or name[0] in ".-" or any(sign in name for sign in "/\\=") or not name.isprintable():
        raise UsageError(f"--name {name}: it becomes that of a folder: no /, \\ or =, and no . or - at its beginning.")
    return name
