"""Biases at the scores against independent public implementations, where they are installed.

KERPLE, Sandwich and FIRE have no judge: no package that installs beside posemb implements them. Their values are worked
out by hand in tests/position.
"""

import pytest
import torch
from torch import Tensor

from posemb.position import cope
from posemb.position.alibi import slopes
from posemb.position.base import Positions, Shape
from posemb.position.shaw import Shaw
from posemb.position.t5 import bucket
from posemb.position.transformer_xl import TransformerXL
from posemb.seeds import stream

HEADS, WIDTH, LENGTH, FARTHEST = 3, 24, 7, 4
SHAPE = Shape(width=WIDTH, heads=HEADS, layers=1, trained=LENGTH, id_limit=LENGTH, asked=LENGTH)
AT = Positions.span(torch.arange(LENGTH)[None], 0, LENGTH, causal=False, prefix=LENGTH)


def drawn(name: str, *shape: int) -> Tensor:
    return torch.randn(shape, generator=stream(0, "judge", name), dtype=torch.float64)


class Conformer:
    """transformers' attention of Wav2Vec2-BERT, which has both of the methods below, with weights of our drawing."""

    def __init__(self, kind: str) -> None:
        library = pytest.importorskip("transformers")
        self.code = pytest.importorskip("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")
        self.config = library.Wav2Vec2BertConfig(
            hidden_size=WIDTH,
            num_attention_heads=HEADS,
            position_embeddings_type=kind,
            left_max_position_embeddings=FARTHEST,
            right_max_position_embeddings=FARTHEST,
            attn_implementation="eager",
        )
        self.layer = self.code.Wav2Vec2BertSelfAttention(self.config).double().eval()
        for name, parameter in self.layer.named_parameters():
            parameter.data = drawn(name, *parameter.shape)
        self.x = drawn("x", 2, LENGTH, WIDTH) / 4

    @torch.no_grad()
    def weights(self, waves: Tensor | None = None) -> Tensor:
        return self.layer(self.x, relative_position_embeddings=waves)[1]

    @torch.no_grad()
    def weights_by(self, method: Shaw | TransformerXL) -> Tensor:
        """The same attention with the bias of one of ours."""
        split = (HEADS, WIDTH // HEADS)
        both = (self.layer.linear_q, self.layer.linear_k)
        q, k = (project(self.x).unflatten(-1, split).transpose(1, 2) for project in both)
        bias = method.at_scores(q, k, AT, method.prepare(AT), 0)
        return (q @ k.transpose(2, 3) / split[1] ** 0.5 + bias).softmax(-1)


def test_shaw():
    """There, too, the vectors are shared by the heads and the values stay as they are."""
    judge = Conformer("relative_key")
    method = Shaw(SHAPE, farthest=FARTHEST).double()
    method.table.data[0] = judge.layer.distance_embedding.weight.data
    found = judge.weights_by(method)
    torch.testing.assert_close(found, judge.weights(), rtol=0, atol=1e-12)
    assert found.std() > 0.05  # far from uniform: the bias had a say


def test_transformer_xl():
    """It shifts, this gathers; it has sine and cosine side by side, this in two halves, so W_R's columns move."""
    judge = Conformer("relative")
    method = TransformerXL(SHAPE).double()
    method.u.data, method.v.data = judge.layer.pos_bias_u.data, judge.layer.pos_bias_v.data
    weight = judge.layer.linear_pos.weight.data
    method.project.data[0] = torch.cat([weight[:, 0::2], weight[:, 1::2]], dim=1)
    waves = judge.code.Wav2Vec2BertRelPositionalEmbedding(judge.config)(judge.x.float()).double()
    found = judge.weights_by(method)
    torch.testing.assert_close(found, judge.weights(waves), rtol=0, atol=1e-5)  # its waves are in float32
    assert found.std() > 0.05


def test_cope():
    """x-transformers divides nothing by √Dh: its callers hand it scaled logits and, unlike here, an unscaled query."""
    library = pytest.importorskip("x_transformers.x_transformers")
    judge = library.CoPE(dim=WIDTH // HEADS, heads=HEADS, max_pos=5).double()
    judge.pos_emb.data = drawn("e", 5, WIDTH // HEADS)
    q, k = (drawn(name, 2, HEADS, LENGTH, WIDTH // HEADS) for name in ("q", "k"))
    method = cope.CoPE(SHAPE, rows=5).double()
    method.table.data[0] = judge.pos_emb.data
    at = Positions.span(torch.arange(LENGTH)[None], 0, LENGTH)
    root = (WIDTH // HEADS) ** 0.5
    logits = (q @ k.transpose(2, 3) / root).masked_fill(~at.visible, float("-inf"))
    found, right = method.at_scores(q, k, at, None, 0), judge(q, logits) / root
    torch.testing.assert_close(found, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 12, 16, 20])
def test_alibi_slopes(heads: int):
    """BLOOM's, for any number of heads. It counts from the row's begin: the same after softmax, so slopes are held."""
    library = pytest.importorskip("transformers.models.bloom.modeling_bloom")
    judge = library.build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)  # a step of one from key to key
    torch.testing.assert_close(torch.tensor(slopes(heads)), judge[:, 0, 1], rtol=1e-6, atol=0)


@pytest.mark.parametrize(("buckets", "farthest"), [(32, 128), (16, 64), (8, 20)])
def test_t5_buckets(buckets: int, farthest: int):
    """Its logarithm is in float32 and ours in float64; no distance up to 5,000 falls to another bucket."""
    library = pytest.importorskip("transformers.models.t5.modeling_t5")
    distances = torch.arange(5000)
    judge = library.T5Attention._relative_position_bucket(-distances, False, buckets, farthest)
    assert torch.equal(bucket(distances, buckets, farthest), judge)
