"""T5's bucketed relative bias."""

from math import log
from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Gt, Le
from torch import Tensor, nn

from posemb.errors import UsageError
from posemb.position.base import PositionMethod, Positions, Reach, Shape
from posemb.position.precision import finest
from posemb.position.table import lookup, taught


def bucket(distance: Tensor, buckets: int, farthest: int) -> Tensor:
    """Distances d >= 0 -> bucket numbers 0..buckets-1: one each below buckets/2, then ever wider ones.

    In integers where it is exact (d < buckets/2), and in the device's best precision where it is a logarithm, so that
    a power of the ratio does not fall on the wrong side.

    >>> bucket(torch.tensor([0, 1, 15, 16, 18, 19, 24, 64, 112, 113, 5000]), 32, 128).tolist()
    [0, 1, 15, 16, 16, 17, 19, 26, 30, 31, 31]
    """
    exact = buckets // 2
    ratio = (distance.clamp(min=1).to(finest(distance.device)) / exact).log() / log(farthest / exact)
    wide = exact + (ratio * (buckets - exact)).floor().long()
    return torch.where(distance < exact, distance, wide.clamp(max=buckets - 1))


@final
class T5(PositionMethod):
    """T5's bias: distances share learned buckets, fine when near and logarithmic when far.

    Formula:
        A_ij = q_i·k_j / √Dh + b_h[bucket(d)],  d = i − j,  b = gain·table;  bucket(d) = d below 16, else
        min(31, 16 + ⌊16·ln(d/16) / ln(128/16)⌋)

    Past the trained length:
        Distances fall into wide buckets. Those wider than training ever filled keep their starting bias, zero: the
        curve marks such figures "untrained rows".

    One table serves all layers.

    Differs from the paper or its code:
        T5 leaves 1/√Dh out; here it stays, as for every other method. A key that lies ahead (no causality) has buckets
        of its own, as many again, where T5 splits the same 32 into two halves.

    Source:
        Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer",
        arXiv:1910.10683; buckets as in the released code, one direction.

    Args:
        shape: what the model is.
        buckets: buckets for each direction; half of them are single distances.
        farthest: the distance from which on all share the last bucket.
        gain: scale of the parameterisation, see `rpe`.

    Raises:
        UsageError: `farthest` is not beyond the single distances.
    """

    def __init__(
        self,
        shape: Shape,
        buckets: Annotated[int, Ge(2), Le(1_000_000)] = 32,
        farthest: Annotated[int, Ge(2), Le(1_000_000_000)] = 128,
        gain: Annotated[float, Gt(0)] = 1.0,
    ) -> None:
        super().__init__(shape)
        if farthest <= buckets // 2:
            raise UsageError(
                f"position.farthest={farthest} must be beyond the {buckets // 2} distances that have a bucket each."
            )
        self.buckets, self.farthest, self.gain = buckets, farthest, gain
        self.table = nn.Parameter(torch.zeros(2 * buckets, shape.heads))

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, H, Tq, Tk) bias, shared by the layers.

        Keys 511 behind, 3 ahead and at the query itself; bucket n is worth n here, those ahead begin at 1200:

        >>> method = T5(Shape(width=4, heads=1, layers=1, trained=9, id_limit=9, asked=9), 1200, 1200, gain=2.0)
        >>> method.table.data = torch.arange(2400.0)[:, None]
        >>> method.prepare(Positions.span(torch.tensor([[0, 514, 511]]), 2, 3)).tolist()
        [[[[1022.000000, 2406.000000, 0.000000]]]]
        """
        index = bucket(at.gap.abs(), self.buckets, self.farthest)
        return lookup(self.table * self.gain, torch.where(at.gap < 0, index + self.buckets, index))

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        return tables.to(q.dtype)

    def caution(self) -> str:
        far = self.shape.greatest
        taught = int(bucket(torch.tensor(far), self.buckets, self.farthest)) + 1
        if taught == self.buckets or far < 3:
            return ""
        fitting = min(self.buckets, far - far % 2)
        return (
            f"t5: training shows distances up to {far}, so {taught} of {self.buckets} buckets learn and the wider ones "
            f"stay at zero. position.buckets={fitting} position.farthest={far} would use them all."
        )

    def reach(self, at: Positions) -> Reach:
        return taught(self.shape, at, lambda gap: gap.sign() * bucket(gap.abs(), self.buckets, self.farthest))
