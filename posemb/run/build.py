"""From a composed config to the objects that it describes."""

import os
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch

from posemb.errors import UsageError
from posemb.eval.protocol import Protocol
from posemb.ids.base import IdScheme
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import Shape
from posemb.run.settings import Machine, Seed
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


def pick_device(name: str) -> torch.device:
    """The device of that name; `auto` takes cuda, then mps, then cpu.

    Raises:
        UsageError: this machine or this build of torch does not have it.
    """
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(device for device, there in available.items() if there)
    if not available[name]:
        there = ", ".join(device for device, there in available.items() if there)
        raise UsageError(f"device {name} is not available here (torch {torch.__version__} sees: {there}).")
    return torch.device(name)


def use_threads(threads: int | None) -> int:
    """Let torch compute with so many CPU threads and return their number; None takes every core it may use."""
    if threads is None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    torch.set_num_threads(threads)
    return threads


def instance(section: dict[str, Any], *leading: Any) -> Any:
    """The object that a config section describes: its `_target_` called with `leading` and the section's other keys.

    The section has been checked (`run.check`), so the target is a class of the group's contract.
    """
    module, _, name = section["_target_"].rpartition(".")
    options = {key: value for key, value in section.items() if key != "_target_"}
    return getattr(import_module(module), name)(*leading, **options)


def build(config: dict[str, Any]) -> Experiment:
    """Build the experiment that a checked config describes.

    The model is made without touching torch's global generator: every weight is drawn from a stream of its own.

    Raises:
        UsageError: the parts do not fit each other, such as a position table too short for training.
    """
    recipe, protocol = Recipe(**config["train"]), Protocol(**config["eval"])
    backbone, seed, machine = Backbone(**config["model"]), Seed(**config["seed"]), Machine(**config["run"])
    device = pick_device(machine.device)
    task: Task = instance(config["task"])
    trained_sizes = task.train_sizes(recipe.size)
    trained_length = max(task.length(size) for size in trained_sizes)
    ids: IdScheme = instance(config["ids"], trained_length)
    # Every size, for a task may refuse any of them.
    longest = max(task.length(size) for size in protocol.sizes_for(trained_sizes))
    shape = Shape(
        width=backbone.width,
        heads=backbone.heads,
        layers=backbone.layers,
        trained=ids.id_limit if ids.spreads else trained_length,
        id_limit=ids.id_limit,
        asked=ids.id_limit if ids.spreads else max(longest, ids.id_limit),
    )
    with torch.random.fork_rng(devices=[]):
        model = Transformer(task.vocabulary, backbone, instance(config["position"], shape))
    model.initialise(seed.init)
    return Experiment(model.to(device), task, ids, recipe, protocol, seed, machine, trained_length, device)
