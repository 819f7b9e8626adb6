"""Small shapes and passes for values worked out by hand."""

import torch

from posemb.position.base import Positions, Shape


def shape(width: int = 8, heads: int = 2, layers: int = 1, trained: int = 10, asked: int = 50, **shown: int) -> Shape:
    return Shape(width=width, heads=heads, layers=layers, trained=trained, id_limit=trained, asked=asked, **shown)


def row(*ids: int, start: int = 0, causal: bool = True, prefix: int = 0) -> Positions:
    """The pass over one row with these ids; queries begin at index `start`."""
    return Positions.span(torch.tensor([ids]), start, len(ids), causal, prefix)


def bias(method, at: Positions, layer: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """(B, H, Tq, Tk) that a method adds to the scores, for queries and keys of zeros."""
    q = torch.zeros(1, method.shape.heads, at.q.shape[1], method.shape.head_width, dtype=dtype)
    k = torch.zeros(1, method.shape.heads, at.k.shape[1], method.shape.head_width, dtype=dtype)
    return method.at_scores(q, k, at, method.prepare(at), layer)
