"""Rotary position embeddings.

The score of [1, 0, 1, 0] with itself, one step apart: cos 1 + cos .01 in one layout, 2 cos 1 in the other.

    >>> def score(pairs):
    ...     method = RoPE(Shape(width=4, heads=1, layers=1, trained=2, id_limit=2, asked=2), pairs=pairs)
    ...     x, at = torch.tensor([1.0, 0, 1, 0]).expand(1, 1, 2, 4), Positions.span(torch.tensor([[0, 1]]), 0, 2)
    ...     q, k = method.at_qk(x, x, at, method.prepare(at), 0)
    ...     return (q[0, 0, 1] @ k[0, 0, 0]).item()
    >>> score("interleaved"), score("half")
    (1.540252, 1.080605)
"""

from typing import Annotated, Any, Literal, final

import torch
from annotated_types import Gt
from torch import Tensor

from posemb.position.angle import phases
from posemb.position.base import QK, PositionMethod, Positions, Shape
from posemb.position.ladder import Ladder
from posemb.position.scaling import Factor, Scaling

Pairs = Literal["half", "interleaved"]


def turns(ids: Tensor, theta: Tensor, length: Tensor | float = 1.0) -> Tensor:
    """Ids (B|1, T) on a ladder θ (n,) -> (B|1, 1, T, n) complex factors length·e^(i·angle)."""
    phase = phases(ids, theta).unsqueeze(1)
    return torch.polar(torch.ones_like(phase) * length, phase)


def rotate(x: Tensor, turn: Tensor, pairs: Pairs) -> Tensor:
    """Turn each pair of dimensions of x (B, H, T, Dh), read as one complex number, by its factor e^(i·angle).

    `interleaved` pairs dimensions 2k and 2k + 1, `half` pairs k and k + Dh/2. The two are equal up to a permutation
    of dimensions; a model trained with one is wrong with the other.

    Args:
        x: queries or keys.
        turn: (B|1, 1, T, Dh/2) complex factors.
        pairs: the layout.

    [1, 0] turned by 90° is [0, 1]; and which dimensions turn together, where the first pair does and the second not:

    >>> rotate(torch.tensor([1.0, 0.0]), torch.tensor([1j]), "half").tolist()
    [0.000000, 1.000000]
    >>> x, turn = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1j, 1])
    >>> rotate(x, turn, "half").tolist(), rotate(x, turn, "interleaved").tolist()
    ([-3.000000, 2.000000, 1.000000, 4.000000], [-2.000000, 1.000000, 3.000000, 4.000000])
    """
    # Never less than float32, whatever the model's dtype or autocast.
    real = x.to(torch.promote_types(x.dtype, torch.float32))
    turn = turn.to(real.dtype.to_complex())
    if pairs == "interleaved":
        turned = torch.view_as_real(torch.view_as_complex(real.unflatten(-1, (-1, 2))) * turn)
    else:
        paired = real.unflatten(-1, (2, -1)).transpose(-1, -2).contiguous()
        turned = torch.view_as_real(torch.view_as_complex(paired) * turn).transpose(-1, -2)
    return turned.flatten(-2).to(x.dtype)


@final
class RoPE(PositionMethod):
    """Rotary embeddings: query and key turned by an angle proportional to their position.

    Formula:
        q_i → R(i·θ_k) q_i,  k_j → R(j·θ_k) k_j,  θ_k = base^(−2k/Dh);  (R^i q)ᵀ(R^j k) = qᵀ R^(j−i) k

    Past the trained length:
        Angles keep turning into combinations that training never showed; plain RoPE falls soon. A scaling slows the
        ladder down, so that a longer row asks for angles nearer to the trained ones.

    Values are never rotated, and no parameters are added. The scalings, with L the trained length and s = factor:

        pi            θ / s
        ntk           base becomes base·s^(Dh/(Dh−2)): the fastest pair is kept, the slowest becomes θ / s
        dynamic_ntk   ntk with s = max(1, final length of the row / L): plain RoPE up to L
        ntk_by_parts  r = L·θ/2π turns: θ / s below 1, θ above β = 32, a ramp between
        yarn          ntk_by_parts; q and k each times 0.1·ln s + 1
        llama3        ntk_by_parts with β = 4

    With ids that spread, L is their limit, so dynamic_ntk is plain RoPE.

    Differs from the paper or its code:
        Without a scaling it does not. Scalings were made for models that are trained already, as `posemb extend` uses
        them; here training sees them, too. The ramp is linear in turns, as in the YaRN paper; its code ramps in the
        index of the dimension. β is at most L/2π, the turns of the fastest pair, so that this pair is kept even at a
        few tokens (Llama's code slows it). That makes no difference from 202 tokens on (26 for llama3); at 43 tokens β
        is 6.8, and up to 25 tokens llama3 is ntk_by_parts. Below 7 tokens no pair turns once: all become θ / s.
        dynamic_ntk knows the final length from the start, and so keeps one base for a row, where released code changes
        it as the row grows.

    Source:
        Su et al. 2021, "RoFormer: Enhanced Transformer with Rotary Position Embedding", arXiv:2104.09864, section
        3.2.2. With scaling=pi: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional
        Interpolation", arXiv:2306.15595. With scaling=ntk,dynamic_ntk: bloc97 2023, "NTK-Aware Scaled RoPE allows LLaMA
        models to have extended (8k+) context size without any fine-tuning and minimal perplexity degradation",
        https://www.reddit.com/r/LocalLLaMA/comments/14lz7j5. With scaling=dynamic_ntk: emozilla 2023, "Dynamically
        Scaled RoPE further increases performance of long context LLaMA with zero fine-tuning",
        https://www.reddit.com/r/LocalLLaMA/comments/14mrgpr. With scaling=ntk_by_parts,yarn: Peng et al. 2023, "YaRN:
        Efficient Context Window Extension of Large Language Models", arXiv:2309.00071, sections 3.2 and 3.4. With
        scaling=llama3: Grattafiori et al. 2024, "The Llama 3 Herd of Models", arXiv:2407.21783; the rule itself is in
        the released code of Llama 3.1.

    Args:
        shape: what the model is; the head width must be even.
        base: the slowest pair turns once in nearly 2π·base ids.
        pairs: which dimensions turn together.
        scaling: how the ladder is slowed down. It is part of the model: training sees it, too.
        factor: s, how many times the trained length is aimed at; `none` and `dynamic_ntk` do not read it.

    Raises:
        UsageError: the head width is odd, so a dimension would have no partner; or 2, with ntk or dynamic_ntk.
    """

    def __init__(
        self,
        shape: Shape,
        base: Annotated[float, Gt(1)] = 10000.0,
        pairs: Pairs = "interleaved",
        scaling: Scaling = "none",
        factor: Factor = 4.0,
    ) -> None:
        super().__init__(shape)
        self.pairs: Pairs = pairs
        self.ladder = Ladder(base, shape.head_width, shape, scaling, factor)

    def prepare(self, at: Positions) -> Tensor:
        """(B|1, 1, Tk, Dh/2) factors e^(i·angle) of every key's id; the queries' are the last Tq."""
        theta, temperature = self.ladder.scaled(at)
        return turns(at.k, theta, temperature)

    def at_qk(self, q: Tensor, k: Tensor, at: Positions, tables: Any, layer: int) -> QK:
        return QK(rotate(q, tables[:, :, at.start :], self.pairs), rotate(k, tables, self.pairs))
