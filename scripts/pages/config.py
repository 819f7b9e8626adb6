"""docs/config.md: every key that belongs to no class, from the dataclasses that hold them."""

from typing import Any, get_type_hints

from posemb.eval.protocol import SPREAD, Protocol
from posemb.model.backbone import Backbone
from posemb.run.compose import compose, groups, options
from posemb.run.settings import Machine, Seed
from posemb.train.recipe import Recipe

from .docstrings import entries, kind, literal

PLAIN = {"model": Backbone, "train": Recipe, "eval": Protocol, "seed": Seed, "run": Machine}
FACTORS = f"{', '.join(f'{factor:g}' for factor in SPREAD)} times the largest"


def config_page() -> str:
    """docs/config.md."""
    config = compose([])
    parts = [
        "# Every key of the config",
        "`posemb train KEY=VALUE` sets any of them; `posemb train --cfg` prints the resolved config. The groups "
        "`position`, `ids` and `task` choose a class and hold its parameters: see [methods](methods.md) and "
        "[tasks](tasks.md). "
        "`seed=N` sets both seeds. A task may bring a recipe of its own.",
        "| group | options |\n|---|---|\n"
        + "\n".join(f"| `{group}` | {', '.join(f'`{name}`' for name in options(group))} |" for group in groups()),
    ]
    for part, cls in PLAIN.items():
        doc = cls.__doc__ or ""
        hints = get_type_hints(cls, include_extras=True)
        explained = entries(doc.replace("`SPREAD`", FACTORS), "Attributes")
        rows = [
            f"| `{part}.{key}` | {literal(value)} | {kind(hints[key])} | {explained[key]} |"
            for key, value in config[part].items()
        ]
        table = "| key | default | values | meaning |\n|---|---|---|---|\n" + "\n".join(rows)
        parts += [f"## {part}", doc.strip().partition("\n")[0], table]
    changed = [f"| {name} | {', '.join(found)} |" for name in options("task") if (found := own_recipe(name, config))]
    if changed:
        parts += ["## What a task sets", "| task | keys |\n|---|---|\n" + "\n".join(changed)]
    return "\n\n".join(parts) + "\n"


def own_recipe(task: str, config: dict[str, Any]) -> list[str]:
    """The keys outside its group that a task's file sets."""
    its = compose([f"task={task}"])
    return [
        f"`{part}.{key}={literal(its[part][key]).strip('`')}`"
        for part in PLAIN
        for key in its[part]
        if its[part][key] != config[part][key]
    ]
