"""docs/methods.md and the README's table: what each method says about itself, and what a tiny model of it does."""

from dataclasses import dataclass
from functools import cache

import torch
from posemb.cli.list import enters
from torch import Tensor

from posemb.run.build import build
from posemb.run.catalog import catalog
from posemb.run.check import check
from posemb.run.compose import compose
from posemb.seeds import stream

from .docstrings import markdown
from .parameters import parameters_table

SHIFT, TOKENS = 7, 12
NOTHING = 1e-6  # a float64 model's rounding lies far below, any real change far above
BEGIN, END = "<!-- methods: begin -->", "<!-- methods: end -->"


@dataclass(frozen=True)
class Measured:
    """A position method at the default shape: what it adds, and whether it knows where it is."""

    parameters: int
    shift: float

    @property
    def moved(self) -> str:
        """The shift error to one digit, so that the page is the same on every machine."""
        return "0" if self.shift < NOTHING else f"{self.shift:.0e}" if self.shift < 0.01 else f"{self.shift:.1g}"


@cache
@torch.no_grad()
def measure(name: str) -> Measured:
    """Build the default model with this method, and move every id by `SHIFT`."""
    config = compose([f"position={name}", "run.device=cpu"])
    check(config)
    experiment = build(config)
    model = experiment.model.double().eval()
    for key, parameter in model.position.named_parameters():  # off zero, where a learned table would do nothing
        parameter += 0.1 * torch.randn(parameter.shape, generator=stream(0, "docs", key), dtype=torch.float64)
    tokens = torch.randint(experiment.task.vocabulary, (1, TOKENS), generator=stream(0, "docs", "tokens"))

    def outputs(ids: Tensor) -> Tensor:
        return model(tokens, model.positions(ids, 0, TOKENS, 0))

    ids = torch.arange(TOKENS)[None]
    shift = (outputs(ids + SHIFT) - outputs(ids)).abs().max().item()
    return Measured(sum(parameter.numel() for parameter in model.position.parameters()), shift)


def methods_page() -> str:
    """docs/methods.md."""
    parts = [
        "# Position methods and id schemes",
        f"*Parameters* are the method's own, at the default model and task. *Shift*: the largest change of any output "
        f"when every id moves by {SHIFT}, measured in float64 with random tables. It is 0 where a method sees "
        "distances only. The hooks are explained in [injection points](injection-points.md). Where a method differs "
        "from the paper or the code that its *Source* names, it says so; of the others no difference is known.",
    ]
    for one in catalog("position"):
        measured = measure(one.name)
        facts = f"Enters at: **{enters(one.points)}** · parameters: {measured.parameters:,} · shift: {measured.moved}"
        parts += [f"## {one.name}", facts, markdown(one.about), *parameters_table(one)]
    parts += ["## Id schemes", "Which position id each token has. Every scheme works with every method (`--ids NAME`)."]
    for one in catalog("ids"):
        parts += [f"### {one.name}", markdown(one.about), *parameters_table(one)]
    return "\n\n".join(parts) + "\n"


def readme(current: str) -> str:
    """The README with a fresh table between its two markers."""
    rows = [
        f"| [{one.name}](docs/methods.md#{one.name}) | {enters(one.points)} | {one.summary} | "
        f"{measure(one.name).parameters:,} | {measure(one.name).moved} |"
        for one in catalog("position")
    ]
    head = "| method | enters at | what it does | parameters | shift |\n|---|---|---|---|---|"
    before, _, rest = current.partition(BEGIN)
    _, found, after = rest.partition(END)
    assert found, f"README.md has lost its markers {BEGIN} and {END}"
    return f"{before}{BEGIN}\n{head}\n" + "\n".join(rows) + f"\n{END}{after}"
