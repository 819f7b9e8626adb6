"""What a run's config sets otherwise than the options that it chose."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from posemb.errors import PosembError
from posemb.run.catalog import option
from posemb.run.compose import CLASSES
from posemb.run.flat import leaves


def changed(config: Mapping[str, Any], config_dir: Path | None = None) -> dict[str, Any]:
    """The parameters of the method, the id scheme and the task that differ from their options' own, by dotted key.

    An option that is not known here, such as one of the user's own without its folder, is passed over.

    Args:
        config: what a run folder keeps.
        config_dir: where options of the user's own come from.
    """
    found: dict[str, Any] = {}
    for group in CLASSES:
        with suppress(PosembError):
            usual = option(group, config["choice"][group], config_dir)
            if usual.target == config[group].get("_target_"):
                own = dict(leaves(usual.parameters, f"{group}."))
                has = dict(leaves(config[group], f"{group}."))
                found |= {key: value for key, value in has.items() if key not in own or not _same(value, own[key])}
    return found


def _same(value: Any, own: Any) -> bool:
    """Whether a file's own value is this one. A bare YAML reader takes `1e-3` for a word."""
    if isinstance(own, str) and isinstance(value, float):
        with suppress(ValueError):
            return float(own) == value
    return bool(own == value)
