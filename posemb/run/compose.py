"""From overrides and YAML files to one plain dict. The only door to Hydra, with overrides.py beside it."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.optionfile import stray_default
from posemb.run.overrides import Setting, read, spread, unknown_key

# Parts of a composed config, in the order in which it is printed. The first three name a class in `_target_`.
CLASSES = ("position", "ids", "task")
PARTS = (*CLASSES, "model", "train", "eval", "seed", "run")


def compose(
    overrides: Sequence[str], config_dir: Path | None = None, typed: Sequence[str] | None = None
) -> dict[str, Any]:
    """The resolved config of one run.

    Args:
        overrides: `key=value` tokens; `seed=3` sets both seeds.
        config_dir: a folder of the user's own options (position/NAME.yaml, ...), found before ours.
        typed: how the user wrote each of them, for messages: `--steps 5` stands behind `train.steps=5`.

    Returns:
        Plain dicts, lists and scalars: "choice" (the chosen option of each group that names a class), then `PARTS`.

    Raises:
        UsageError: a token or a file is wrong. The message names it, in at most eight lines.
    """
    choices = {group: options(group, config_dir) for group in groups()}
    named = zip(overrides, typed or overrides, strict=True)
    settings = spread([read(token, said, choices) for token, said in named])
    try:
        config, chosen = _load([setting.token for setting in settings], config_dir)
    except UsageError:
        raise
    except Exception as error:  # Hydra lets TypeError, ValueError and YAML's errors through, too
        raise UsageError(_diagnose(error, settings, config_dir)) from error
    if "choice" in config:
        raise UsageError(f"A file of --config-dir {config_dir} sets choice, which records the options that were taken.")
    ordered = {part: config.pop(part) for part in PARTS if part in config}
    return {"choice": {group: chosen.get(group) for group in CLASSES}, **ordered, **config}


def groups() -> list[str]:
    """The config groups: the folders beside config.yaml."""
    return sorted(path.name for path in _ours().iterdir() if path.is_dir() and any(path.glob("*.yaml")))


def options(group: str, config_dir: Path | None = None) -> dict[str, Path]:
    """The options of a group and their files, sorted by name; the user's add to ours or replace them.

    Raises:
        UsageError: `config_dir` is no folder of options.
    """
    if config_dir is not None:
        _check_folder(config_dir)
    roots = [_ours(), *([config_dir] if config_dir else [])]
    found = {path.stem: path.absolute() for root in roots for path in (root / group).glob("*.yaml")}
    return dict(sorted(found.items()))


def keys(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All dotted keys of a config and their values, inner nodes included."""
    for name, value in config.items():
        yield f"{prefix}{name}", value
        if isinstance(value, dict):
            yield from keys(value, f"{prefix}{name}.")


def _ours() -> Path:
    spec = find_spec("posemb.configs")
    if spec is None or spec.origin is None:
        raise UsageError("posemb's own configs are not installed. Install posemb again.")
    return Path(spec.origin).parent


def _check_folder(config_dir: Path) -> None:
    if not config_dir.is_dir():
        raise UsageError(f"--config-dir {config_dir}: there is no such folder.")
    if not any(any((config_dir / group).glob("*.yaml")) for group in (*groups(), "hydra/launcher")):
        raise UsageError(
            f"--config-dir {config_dir}: no YAML file in a folder named after a group. Groups: {', '.join(groups())}."
        )


def _load(
    tokens: Sequence[str], config_dir: Path | None, resolve: bool = True
) -> tuple[dict[str, Any], dict[str, str]]:
    """Hydra's part: the config as a plain dict, and the chosen option of each group."""
    from hydra import compose as hydra_compose
    from hydra import initialize_config_module
    from hydra.core.global_hydra import GlobalHydra
    from omegaconf import OmegaConf, open_dict
    from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

    with initialize_config_module("posemb.configs", version_base="1.3"):
        if config_dir is not None:
            # hydra.searchpath can only append, and ours would win. The empty list makes Hydra read the path again.
            GlobalHydra.instance().config_loader().get_search_path().prepend("user", str(config_dir.absolute()))
            tokens = ["hydra.searchpath=[]", *tokens]
        config = hydra_compose("config", overrides=list(tokens), return_hydra_config=True)
    choices = dict(config.hydra.runtime.choices)
    with open_dict(config):
        del config["hydra"]
    try:
        plain = OmegaConf.to_container(config, resolve=resolve, throw_on_missing=resolve)
    except MissingMandatoryValue as error:
        raise UsageError(f"{error.full_key} has no value. Set it: {error.full_key}=VALUE") from error
    except OmegaConfBaseException as error:
        raise UsageError(f"{error.full_key}: {str(error.msg or error).splitlines()[0]}") from error
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}, choices


def _diagnose(error: Exception, settings: Sequence[Setting], config_dir: Path | None) -> str:
    """Which file or which override is wrong, found by composing again with less."""
    named = groups()
    chosen = [setting.token for setting in settings if setting.key in named]
    try:
        known = dict(keys(_load(chosen, config_dir, resolve=False)[0]))
    except Exception as worse:  # the files alone do not compose
        return _broken_file(config_dir) or f"The configs do not compose: {_reason(worse)}"
    for setting in settings:
        if setting.key in known and setting.sign == "+":
            return f"{setting.typed}: {setting.key} exists: write it without +."
        if setting.key in named or setting.sign:
            continue
        if setting.key not in known:
            empty = [key for key, value in known.items() if value is None and key.partition(".")[0] in CLASSES]
            return unknown_key(setting, known, empty)
        try:
            _load([*chosen, setting.token], config_dir, resolve=False)
        except Exception as worse:
            return f"{setting.typed}: {_reason(worse)}"
    return f"The configs do not compose: {_reason(error)}"


def _broken_file(config_dir: Path | None) -> str | None:
    from omegaconf import OmegaConf

    for path in (path for group in groups() for path in options(group, config_dir).values()):
        try:
            content = OmegaConf.load(path)
        except Exception as error:  # YAML's own, a wrong encoding, no permission, a lone scalar
            return f"{path}: not readable as YAML: {' '.join(str(error).split())[:300]}"
        if not OmegaConf.is_dict(content):
            return f"{path}: expected lines of `key: value`."
        if stray := stray_default(path, path.parent.name, options(path.parent.name, config_dir)):
            return stray
    return None


def _reason(error: BaseException) -> str:
    """The cause of a composition error holds the reason; its own message says only where."""
    return (str(error.__cause__ or error).splitlines() or [type(error).__name__])[0]
