"""Docstrings, annotations and values as Markdown, for write_docs.py."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, get_args, get_origin

SIGNS = {"Ge": "≥", "Gt": ">", "Le": "≤", "Lt": "<"}


def markdown(doc: str) -> str:
    """A Google-style docstring as Markdown. Its parameters are left to `parameters_table`."""
    doc = re.sub(r"^(Args|Raises|Attributes):\n(?:(?: +.*)?\n?)*", "", f"{doc}\n", flags=re.MULTILINE)
    doc = re.sub(
        r"^Formula:\n((?: +.*\n)+)", lambda found: f"```text\n{dedented(found[1])}\n```\n", doc, flags=re.MULTILINE
    )
    doc = re.sub(
        r"^(\w[\w ]*):\n((?: +.*\n)+)", lambda f: f"*{f[1]}.* {' '.join(f[2].split())}\n", doc, flags=re.MULTILINE
    )
    # What is still indented is an example.
    doc = re.sub(r"((?:^ {4}.*\n)+)", lambda found: f"```text\n{dedented(found[1])}\n```\n", doc, flags=re.MULTILINE)
    return doc.strip()


def dedented(block: str) -> str:
    """Lines without their common margin of four."""
    return "\n".join(line.removeprefix("    ") for line in block.rstrip("\n").split("\n"))


def entries(doc: str, section: str) -> dict[str, str]:
    """The `name: meaning` entries of a docstring's section, continuation lines joined."""
    body = re.search(rf"^ *{section}:\n((?: +.*\n?|\n(?= +\w+:))+)", doc, flags=re.MULTILINE)
    if body is None:
        return {}
    lines = [line for line in body[1].splitlines() if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip())
    found: dict[str, str] = {}
    for line in lines:
        name, colon, meaning = line.strip().partition(": ")
        if len(line) - len(line.lstrip()) == margin and colon:
            found[last := name] = meaning
        else:
            found[last] += f" {line.strip()}"
    return {name: re.sub(r"\bNone\b", "null", meaning).replace("|", "\\|") for name, meaning in found.items()}


def kind(annotation: Any) -> str:
    """An annotation in words: `Annotated[int, Ge(1)] | None` is "int ≥ 1, or null"."""
    if annotation is type(None):
        return "null"
    if get_origin(annotation) is Annotated:
        inner, *bounds = get_args(annotation)
        names = [type(bound).__name__ for bound in bounds]
        limits = [
            f"{SIGNS[name]} {getattr(bound, name.lower())}"
            for name, bound in zip(names, bounds, strict=True)
            if name in SIGNS
        ]
        return " ".join([kind(inner), ", ".join(limits)]).strip()
    if get_origin(annotation) is Mapping:
        return "methods by name"
    if get_origin(annotation) is dict:
        return f"by name: {kind(get_args(annotation)[1])}"
    if get_origin(annotation) is list:
        return f"list of {kind(get_args(annotation)[0])}"
    if isinstance(annotation, type):
        return annotation.__name__
    choices = [kind(one) if not isinstance(one, str) else f"`{one}`" for one in get_args(annotation)]
    return ", or ".join(choices) if type(None) in get_args(annotation) else ", ".join(choices)


def literal(value: Any) -> str:
    """A value as YAML writes it."""
    words = {None: "null", True: "true", False: "false"}
    if isinstance(value, dict):
        inner = {
            name: one["_target_"].rpartition(".")[2] if isinstance(one, dict) else one for name, one in value.items()
        }
        return f"`{{{', '.join(f'{name}: {one}' for name, one in inner.items())}}}`"
    return f"`{words[value] if value is None or isinstance(value, bool) else value}`"
