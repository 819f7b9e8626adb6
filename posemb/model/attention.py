"""Attention with a place for every kind of position method, and the cache that decoding needs."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.position.base import PositionMethod, Positions


class Cache:
    """Keys and values of the tokens seen so far, for every layer.

    Keys are kept *raw* and placed after concatenation, so a method whose tables depend on the whole pass treats old
    keys like new ones.
    """

    def __init__(self) -> None:
        self.layers: dict[int, tuple[Tensor, Tensor]] = {}

    def extend(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Append (B, H, Tq, Dh) and return all of that layer, (B, H, Tk, Dh)."""
        if layer in self.layers:
            old_k, old_v = self.layers[layer]
            k, v = torch.cat([old_k, k], dim=2), torch.cat([old_v, v], dim=2)
        self.layers[layer] = (k, v)
        return k, v

    @property
    def bytes(self) -> int:
        """Memory that the cached tensors hold."""
        return sum(t.numel() * t.element_size() for pair in self.layers.values() for t in pair)


def attend(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, at: Positions) -> Tensor:
    """softmax(q·k/√Dh + bias, masked) v: q (B, H, Tq, Dh), k and v (B, H, Tk, Dh) -> (B, H, Tq, Dh)."""
    if q.shape[2] == 1:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)  # the last token sees everything
    if bias is None and at.causal and q.shape[2] == k.shape[2]:
        # Only for squares: with unequal lengths `is_causal` aligns the mask top-left and is silently wrong.
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    mask = at.visible if bias is None else bias.masked_fill(~at.visible, float("-inf"))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def tempered(q: Tensor, bias: Tensor | None, temperature: float) -> tuple[Tensor, Tensor | None]:
    """Queries and bias that make every score q·k/√Dh + bias so many times what it was. At 1 nothing is computed."""
    if temperature == 1:
        return q, bias
    return q * temperature, None if bias is None else bias * temperature


class Block(nn.Module):
    """One pre-norm layer: x + attention(norm(x)), then x + feed-forward(norm(x))."""

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm_attention = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.norm_feedforward = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden * width)
        self.down = nn.Linear(hidden * width, width)

    def forward(
        self,
        x: Tensor,
        at: Positions,
        tables: Any,
        position: PositionMethod,
        layer: int,
        cache: Cache | None,
        temperature: float = 1.0,
    ) -> Tensor:
        """(B, Tq, W) -> (B, Tq, W)."""
        q, k, v = self.qkv(self.norm_attention(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        if cache is not None:
            k, v = cache.extend(layer, k, v)
        q, k = position.at_qk(q, k, at, tables, layer)
        bias = position.at_scores(q, k, at, tables, layer)
        q, bias = tempered(q, bias, temperature)
        x = x + self.out(attend(q, k, v, bias, at).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm_feedforward(x))))
