"""What a person may have meant: the nearest right words to a wrong one."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, choices: Iterable[str]) -> list[str]:
    """Up to three of `choices`, best first, that look like `word`. A dotted key is also found by its last part."""
    known = list(choices)
    by_last_part = [choice for choice in known if choice.rpartition(".")[2] == word]
    lowered = {choice.lower(): choice for choice in known}
    close = [lowered[match] for match in get_close_matches(word.lower(), lowered, n=3, cutoff=0.6)]
    return list(dict.fromkeys([*by_last_part, *close]))[:3]


def meant(word: str, choices: Iterable[str], called: str = "Choices", prefix: str = "") -> str:
    """A hint to end an error with: "Did you mean rope?", or all the choices where none is near.

    `prefix` is put before each name that is shown, and plays no part in what is near.
    """
    known = list(choices)
    near = [f"{prefix}{name}" for name in nearest(word, known)]
    if near:
        return f"Did you mean {' or '.join(near)}?"
    return f"{called}: {', '.join(known)}." if known else f"There are no {called.lower()}."
