"""From a composed config to the objects that it describes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, get_type_hints

import torch

from posemb.errors import PosembError, UsageError
from posemb.eval.protocol import Protocol
from posemb.ids.base import IdScheme
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.run.machine import pick_device
from posemb.run.opening import first_line
from posemb.run.settings import Machine, Seed
from posemb.run.shape import shape_of
from posemb.run.target import called, parts_of
from posemb.seeds import stream
from posemb.task.base import Task
from posemb.train.recipe import Recipe


@dataclass(frozen=True)
class Experiment:
    """A config made real: everything that training and evaluation need.

    Attributes:
        model: on its device, with its initial weights.
        task: the question.
        ids: the id scheme.
        recipe: how it is trained.
        protocol: how it is evaluated.
        seed: initial weights and data.
        machine: device, threads and the cadence of logs.
        trained_length: longest training sequence, tokens.
        device: the device that `machine.device` came to.
    """

    model: Transformer
    task: Task
    ids: IdScheme
    recipe: Recipe
    protocol: Protocol
    seed: Seed
    machine: Machine
    trained_length: int
    device: torch.device

    @property
    def sizes(self) -> list[int]:
        """The sizes of the curve."""
        return self.protocol.sizes_for(self.task.train_sizes(self.recipe.size))

    @property
    def parameters(self) -> int:
        """Trainable numbers in the model, the method's own included."""
        return sum(parameter.numel() for parameter in self.model.parameters())


def instance(section: dict[str, Any], *leading: Any) -> Any:
    """The object that a config section describes: its `_target_` called with `leading` and the section's other keys.

    The section has been checked (`run.check`), so the target is a class of the group's contract. One that is made of
    other methods gets, for each, what makes it.
    """
    cls = class_of(section)
    options = {key: value for key, value in section.items() if key != "_target_"}
    for key in options.keys() & parts_of(get_type_hints(cls.__init__)):
        options[key] = {name: partial(instance, inner) for name, inner in options[key].items()}
    return cls(*leading, **options)


def class_of(section: dict[str, Any]) -> Any:
    """The class that a checked section names."""
    module, _, name = section["_target_"].rpartition(".")
    return getattr(import_module(module), name)


def part(config: dict[str, Any], group: str, *leading: Any) -> Any:
    """The position method, id scheme or task of a checked config.

    Raises:
        UsageError: its constructor raised. The message names the option and its class.
    """
    with building(called(config, group)):
        return instance(config[group], *leading)


@contextmanager
def building(what: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into a UsageError that says what was being built."""
    try:
        yield
    except PosembError:
        raise
    except Exception as error:  # too little memory (a RuntimeError of torch's), or a mistake in a user's own class
        raise UsageError(f"{what} cannot be built: {type(error).__name__}: {first_line(error)}") from error


def build(config: dict[str, Any], device_name: str | None = None) -> Experiment:
    """Build the experiment that a checked config describes.

    The model is made without touching torch's global generator: every weight is drawn from a stream of its own.

    Args:
        config: what `check` returned.
        device_name: where to compute; None takes the config's `run.device`.

    Raises:
        UsageError: the device is not there, the parts do not fit each other (such as a position table too short for
            training), or one of them cannot be built.
    """
    recipe, protocol = Recipe(**config["train"]), Protocol(**config["eval"])
    backbone, seed, machine = Backbone(**config["model"]), Seed(**config["seed"]), Machine(**config["run"])
    device = pick_device(device_name or machine.device)
    task: Task = part(config, "task")
    trained_sizes = task.train_sizes(recipe.size)
    trained_size = max(trained_sizes, key=task.length)
    trained_length = task.length(trained_size)
    with building(called(config, "task")):
        ends = min(trained_sizes, key=task.length), trained_size
        rows = [task.sample(size, 1, stream(0, "build"), "train").layout for size in ends]
    with building(called(config, "ids")):
        span = class_of(config["ids"]).span(rows[-1])
    ids: IdScheme = part(config, "ids", span)
    # Every size, for a task may refuse any of them.
    longest = max(task.length(size) for size in protocol.sizes_for(trained_sizes))
    with building(called(config, "ids")):
        shape = shape_of(backbone, ids, rows, ids.id_limit if ids.spreads else max(longest, ids.id_limit))
    with torch.random.fork_rng(devices=[]):
        method = part(config, "position", shape)
        with building(f"A model with model.width={backbone.width}, model.layers={backbone.layers}"):
            model = Transformer(task.vocabulary, backbone, method)
            model.initialise(seed.init)
            model.to(device)
    return Experiment(model, task, ids, recipe, protocol, seed, machine, trained_length, device)
