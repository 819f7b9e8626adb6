"""Contextual position encoding: a key's position is how many tokens since then count, as the query sees it."""

from math import sqrt
from typing import Annotated, Any, final

import torch
from annotated_types import Ge, Le
from torch import Tensor, nn

from posemb.position.base import PositionMethod, Positions, Reach, Shape


def score(q: Tensor, rows: Tensor, gates: Tensor) -> Tensor:
    """q_i·e[p_ij] / √Dh, with p_ij the sum of i's gates from key j on and e read between its rows.

    Args:
        q: (B, H, Tq, Dh) queries.
        rows: (P, Dh) e[0..P-1]; a count past the last row takes that row.
        gates: (B, H, Tq, Tk) how much each key counts; zero where the query may not look.

    The last of three tokens, with q·e[p] = 2p and √Dh = 2. All gates 1 count i − j + 1, what a gate shuts out moves the
    rest nearer, and a count past the last row is the last row.

    >>> rows, q = torch.arange(3.0)[:, None] * torch.tensor([2.0, 0, 0, 0]), torch.ones(1, 1, 1, 4)
    >>> [score(q, rows, torch.tensor([[[gates]]])).tolist() for gates in ([0.0, 1.0, 1.0], [0.5, 0.25, 1.0], [1.0] * 3)]
    [[[[[2.000000, 2.000000, 1.000000]]]], [[[[1.750000, 1.250000, 1.000000]]]], [[[[2.000000, 2.000000, 1.000000]]]]]
    """
    place = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=len(rows) - 1)
    # (B, H, Tq, P). Reading between rows is linear, so it can wait until the query has met every row.
    every = q @ rows.T / sqrt(q.shape[-1])
    part = place.frac()
    low, high = (every.gather(-1, whole.long()) for whole in (place.floor(), place.ceil()))
    return low * (1 - part) + high * part


@final
class CoPE(PositionMethod):
    """CoPE: the query decides which tokens count, and a key's position is how many did since.

    Formula:
        A_ij = q_i·(k_j + e[p_ij]) / √Dh,  p_ij = Σ_{t=j..i} g_it,  g_ij = σ(q_i·k_j / √Dh);
        e[p] between two rows in proportion

    Past the trained length:
        Counts grow with the row and stop at the last row of e. If few tokens count, a long row holds no count that
        training did not; rows of e that no count reached are still zero.

    It ignores ids and counts tokens by itself. It is defined for causal attention only: the sum needs an order. Hidden
    keys are shut out before the sum, or later tokens would count. e starts at zero and belongs to a layer, and its
    heads share it.

    Differs from the paper or its code:
        Scaled as in the code: the gate's argument and the position's score are both divided by √Dh, which the paper's
        equations leave out. The code can also take gates from a key of their own or from the value; here it cannot.

    Source:
        Golovneva et al. 2024, "Contextual Position Encoding: Learning to Count What's Important", arXiv:2405.18719, and
        its released code.

    Args:
        shape: what the model is.
        rows: P, rows of e; None takes a row for every count of tokens in a trained row, zero included.
    """

    reads_ids = False
    causal_only = True

    def __init__(self, shape: Shape, rows: Annotated[int, Ge(2), Le(1_000_000)] | None = None) -> None:
        super().__init__(shape)
        held = max(2, shape.tokens) if rows is None else rows
        self.table = nn.Parameter(torch.zeros(shape.layers, held, shape.head_width))

    def at_scores(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> Tensor:
        """q_i·e[p_ij] / √Dh, (B, H, Tq, Tk).

        The last of two tokens, with gates σ(0) = 1/2 and σ(ln 3) = 3/4, counts 3/4 and 5/4; and q·e[p] / √Dh = p.

        >>> method = CoPE(Shape(width=4, heads=1, layers=1, trained=3, id_limit=3, asked=3))
        >>> method.table.data[0, :, 0] = torch.arange(3.0)
        >>> q, k = torch.tensor([[[[2.0, 0, 0, 0]]]]), torch.tensor([[[[0.0, 9, 9, 9], [1.0986123, 0, 0, 0]]]])
        >>> method.at_scores(q, k, Positions.span(torch.tensor([[0, 1]]), 1, 2), None, 0).tolist()
        [[[[1.250000, 0.750000]]]]
        """
        # Counts are sums of many gates: never less than float32, whatever the model's dtype or autocast.
        dtype = torch.promote_types(q.dtype, torch.float32)
        with torch.autocast(q.device.type, enabled=False):
            fine = q.to(dtype)
            gates = (fine @ k.to(dtype).transpose(2, 3) / sqrt(q.shape[-1])).sigmoid()
            return score(fine, self.table[layer].to(dtype), gates.masked_fill(~at.visible, 0)).to(q.dtype)

    def reach(self, at: Positions) -> Reach:
        # A count is at most the number of tokens fed; past the last row it is the last row's.
        most = len(self.table[0]) - 1
        asked, taught = (min(tokens - 1, most) for tokens in (at.k.shape[1], self.shape.tokens))
        return Reach.OK if asked <= taught else Reach.UNTRAINED
