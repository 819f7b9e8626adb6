"""The backbone's weights, masks and settings."""

from dataclasses import replace
from math import sqrt

import pytest
import torch

from posemb.errors import UsageError
from posemb.model.attention import Cache
from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.base import QK, PositionMethod, Shape

SHAPE = Shape(width=64, heads=4, layers=2, trained=10, id_limit=10, asked=20)


def model(attention: str = "causal", seed: int = 0) -> Transformer:
    made = Transformer(40, Backbone(64, 2, 4, 4, attention), PositionMethod(SHAPE))
    made.initialise(seed)
    return made


def test_the_first_weights():
    weights = dict(model().named_parameters())
    for name, weight in weights.items():
        if weight.ndim == 1:
            right = 1.0 if "norm" in name and name.endswith("weight") else 0.0
            assert (weight == right).all(), name
    # Fan-in scaling by one gain; what is added to the residual stream is damped by √(2 layers) = 2.
    gain = weights["head.weight"].std().item() * sqrt(64)
    assert 0.1 < gain < 1.1
    deviations = {
        "embedding.weight": 1 / sqrt(64),
        "blocks.0.qkv.weight": gain / sqrt(64),
        "blocks.1.up.weight": gain / sqrt(64),
        "blocks.0.out.weight": gain / sqrt(64) / 2,
        "blocks.1.down.weight": gain / sqrt(256) / 2,
    }
    for name, deviation in deviations.items():
        assert weights[name].std().item() == pytest.approx(deviation, rel=0.06), name
        assert weights[name].mean().item() == pytest.approx(0, abs=0.1 * deviation), name


def test_every_weight_has_a_stream_of_its_own():
    one, deeper = model(), Transformer(40, Backbone(64, 3, 4, 4, "causal"), PositionMethod(SHAPE))
    deeper.initialise(0)
    assert torch.equal(one.blocks[0].qkv.weight, deeper.blocks[0].qkv.weight)
    assert not torch.equal(one.blocks[0].qkv.weight, one.blocks[1].qkv.weight)
    assert not torch.equal(one.head.weight, model(seed=1).head.weight)


def test_the_mask_is_the_backbones():
    ids = torch.arange(6)[None]
    causal, prefix = model("causal").positions(ids, 1, 4, 3), model("prefix").positions(ids, 1, 4, 3)
    assert causal.causal and not prefix.causal
    assert (prefix.prefix, prefix.start, prefix.horizon) == (3, 1, 6)
    assert prefix.q.tolist() == [[1, 2, 3]]


def test_the_hooks_are_called_where_the_drawing_says():
    """Tables reach every hook; queries are the pass's, keys all that the cache holds, raw in every pass."""
    calls = []

    class Watched(PositionMethod):
        def prepare(self, at):
            calls.append("prepare")
            return "tables"

        def at_embedding(self, x, at, tables):
            calls.append(("at_embedding", tuple(x.shape), tables))
            return x

        def at_qk(self, q, k, at, tables, layer):
            calls.append(("at_qk", layer, tuple(q.shape), tuple(k.shape), tables))
            keys.append(k)
            return super().at_qk(q, 2 * k, at, tables, layer)

        def at_scores(self, q, k, at, tables, layer):
            calls.append(("at_scores", layer, tuple(q.shape), tuple(k.shape), tables))

    keys: list[torch.Tensor] = []
    made = Transformer(40, Backbone(64, 2, 4, 4, "causal"), Watched(SHAPE))
    ids, cache, tokens = torch.arange(5)[None], Cache(), torch.arange(10).view(2, 5)
    made(tokens[:, :3], made.positions(ids, 0, 3, 0), cache)
    calls.clear()
    made(tokens[:, 3:], made.positions(ids, 3, 5, 0), cache)
    q, k = (2, 4, 2, 16), (2, 4, 5, 16)
    layers = [[("at_qk", layer, q, k, "tables"), ("at_scores", layer, q, k, "tables")] for layer in (0, 1)]
    assert calls == ["prepare", ("at_embedding", (2, 2, 64), "tables"), *layers[0], *layers[1]]
    assert torch.equal(keys[2][:, :, :3], keys[0])  # cached before the method placed them


def test_a_width_that_heads_cannot_share_is_a_usage_error():
    with pytest.raises(UsageError, match=r"model\.width=64 is not a multiple of model\.heads=5"):
        Backbone(64, 2, 5, 4, "causal")


class Placed(PositionMethod):
    """Acts at all three points, by simple numbers."""

    def at_embedding(self, x, at, tables):
        return x + at.q[..., None]

    def at_qk(self, q, k, at, tables, layer):
        return QK(2 * q, 3 * k)

    def at_scores(self, q, k, at, tables, layer):
        return -0.5 * (layer + 1) * at.gap[:, None].to(q.dtype)


@torch.no_grad()
def test_a_pass_written_out():
    """Pre-norm: x + out(softmax(q·k/√Dh + bias) v), then x + down(gelu(up)); position enters where it should."""
    made = Transformer(40, Backbone(8, 2, 1, 2, "causal"), Placed(replace(SHAPE, width=8, heads=1)))
    made.initialise(0)
    made.double()
    tokens, ids = torch.tensor([[3, 1, 4]]), torch.tensor([[0, 2, 3]])
    x = made.embedding.weight[tokens[0]] + ids[0][:, None]
    gap = ids[0][:, None] - ids[0][None]
    for layer, block in enumerate(made.blocks):
        q, k, v = (block.norm_attention(x) @ block.qkv.weight.T).chunk(3, dim=-1)
        scores = (2 * q) @ (3 * k).T / sqrt(8) - 0.5 * (layer + 1) * gap
        weights = scores.masked_fill(torch.ones(3, 3).triu(1).bool(), float("-inf")).softmax(dim=-1)
        x = x + weights @ v @ block.out.weight.T
        hidden = block.norm_feedforward(x) @ block.up.weight.T + block.up.bias
        x = x + torch.nn.functional.gelu(hidden) @ block.down.weight.T + block.down.bias
    right = made.norm(x) @ made.head.weight.T
    torch.testing.assert_close(made(tokens, made.positions(ids, 0, 3, 0))[0], right, rtol=0, atol=1e-12)
