"""Several methods as one.

Two biases are added: two of ALiBi's, -1/256 each at a distance of 1.

    >>> from posemb.position.alibi import ALiBi
    >>> method = Composite(Shape(2, 1, 1, 2, 2, 2), {"one": ALiBi, "other": ALiBi})
    >>> at, q = Positions.span(torch.tensor([[0, 1]]), 1, 2), torch.zeros(1, 1, 1, 2)
    >>> method.at_scores(q, q, at, method.prepare(at), 0).tolist()
    [[[[-0.0078125, 0.000000]]]]
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Annotated, Any, Literal, final

import torch
from annotated_types import Ge
from torch import Tensor, nn

from posemb.errors import UsageError
from posemb.position.base import QK, Parts, PositionMethod, Positions, Reach, Shape, injection_points

Layers = Literal["even", "odd"] | list[Annotated[int, Ge(0)]]


@final
class Composite(PositionMethod):
    """A method made of methods: several at once, each on all layers or on some.

    Formula:
        x → x + P at the embedding, part after part;  q, k turned by each part in order;  A_ij = score + Σ biases

    Past the trained length:
        What the weakest part does. A row is marked as the part that reaches least far would mark it.

    An option lists its parts as options of this group, by a name for each (`rope@parts.rope` in its defaults list);
    with `layers` for every part it is a method per layer. Parts share nothing: each has tables and parameters of its
    own. A part on some layers knows only those, so that a table for each layer has no idle rows; the other layers go
    without it. What a part does at the embedding happens once, before all layers.

    Differs from the paper or its code:
        What is said of each part holds here, too. The paper's last model, rotary on some layers only, gives those
        layers a sliding window, which is left out here. About one of its layers in four has no position, in
        `rope_alternating` every second.

    Source:
        With layers: Yang et al. 2025, "Rope to Nope and Back Again: A New Hybrid Attention Strategy", arXiv:2501.18795.
        What the parts come from is said there.

    Args:
        shape: what the model is.
        parts: the methods, by a name for each; the order counts where two of them turn queries and keys.
        layers: for a part's name, the layers it acts on, counted from 0: even, odd, or a list; all unless given.

    Raises:
        UsageError: there is no part, a part cannot be built, or `layers` names a part or a layer that is not there.
    """

    def __init__(self, shape: Shape, parts: Parts, layers: dict[str, Layers] | None = None) -> None:
        super().__init__(shape)
        chosen = layers or {}
        if not parts:
            raise UsageError("position.parts is empty: name at least one method.")
        if strange := sorted(chosen.keys() - parts.keys()):
            raise UsageError(f"position.layers.{strange[0]}: there is no such part. Parts: {', '.join(parts)}.")
        own = {name: _own(name, chosen.get(name), shape.layers) for name in parts}
        made = {name: _made(name, parts, replace(shape, layers=len(own[name]))) for name in parts}
        for name in chosen:
            if injection_points(made[name]) == ("at_embedding",):
                raise UsageError(f"position.layers.{name}: {name} acts once, before all layers. Leave the key out.")
        self.parts = nn.ModuleDict(made)
        self.made_of = tuple(made.values())
        self.own = tuple(own.values())
        self.absolute = any(part.absolute for part in self.made_of)
        self.directed = any(part.directed for part in self.made_of if injection_points(part))
        self.reads_ids = any(part.reads_ids for part in self.made_of if injection_points(part))
        self.causal_only = any(part.causal_only for part in self.made_of)

    def initialise(self, rng: torch.Generator) -> None:
        for part in self.made_of:
            part.initialise(rng)

    def prepare(self, at: Positions) -> list[Any]:
        """The tables of each part."""
        return [part.prepare(at) for part in self.made_of]

    def at_embedding(self, x: Tensor, at: Positions, tables: Any) -> Tensor:
        for part, its in zip(self.made_of, tables, strict=True):
            x = part.at_embedding(x, at, its)
        return x

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        for part, its, number in self._on(layer, tables):
            q, k = part.at_qk(q, k, at, its, number)
        return QK(q, k)

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor | None:
        found = (part.at_scores(q, k, at, its, number) for part, its, number in self._on(layer, tables))
        biases = [bias for bias in found if bias is not None]
        return reduce(add, biases) if biases else None

    def reach(self, at: Positions) -> Reach:
        reached = [part.reach(at) for part in self.made_of]
        return max(reached, key=list(Reach).index)

    def caution(self) -> str:
        return " ".join(filter(None, (part.caution() for part in self.made_of)))

    def _on(self, layer: int, tables: Sequence[Any]) -> Iterator[tuple[PositionMethod, Any, int]]:
        """The parts that act on a layer, their tables, and the number that the layer has among their own."""
        for part, its, own in zip(self.made_of, tables, self.own, strict=True):
            if layer in own:
                yield part, its, own.index(layer)


def _own(name: str, chosen: Layers | None, layers: int) -> list[int]:
    """The layers of one part, in order."""
    key = f"position.layers.{name}"
    if chosen is None or isinstance(chosen, str):
        first, step = {None: (0, 1), "even": (0, 2), "odd": (1, 2)}[chosen]
        own = list(range(first, layers, step))
    else:
        own = sorted(set(chosen))
        if own and own[-1] >= layers:
            raise UsageError(f"{key}={chosen}: the model's layers are 0..{layers - 1} (model.layers={layers}).")
    if not own:
        raise UsageError(f"{key}={chosen}: no layer of the model is left for it (model.layers={layers}).")
    return own


def _made(name: str, parts: Parts, shape: Shape) -> PositionMethod:
    """A part; what it says about its keys is said about those under `parts`."""
    try:
        return parts[name](shape)
    except UsageError as error:
        raise UsageError(str(error).replace("position.", f"position.parts.{name}.")) from error
