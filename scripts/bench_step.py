"""Is a training step of posemb slower than one of x-transformers? Both in one process, taking turns.

    make bench                      # or: python scripts/bench_step.py --threads 2

One step is forward, loss, backward, clipping and AdamW, on the same batch, with the same optimizer settings and the
same shape of model. The two alternate, and who goes first alternates too, so that another job on the machine, or a
clock that drifts, meets both alike. What counts is the median of the ratios of neighbouring steps. x-transformers
runs with `attn_flash` (torch's fused attention) on and off, and is judged by the faster.

Exit code 1: some method's ratio is above 1 + tolerance.
"""

import argparse
import sys
from collections.abc import Callable
from statistics import median, quantiles
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from posemb.model.backbone import Backbone
from posemb.model.transformer import Transformer
from posemb.position.alibi import ALiBi
from posemb.position.ape import APE
from posemb.position.base import PositionMethod, Shape
from posemb.position.rope import RoPE

WIDTH, LAYERS, HEADS, HIDDEN, VOCABULARY, ROWS, TOKENS = 64, 2, 4, 4, 29, 64, 43
SHAPE = Shape(WIDTH, HEADS, LAYERS, trained=TOKENS, id_limit=TOKENS, asked=TOKENS)

# A method of posemb, and how x-transformers is asked for the same.
Rival = dict[str, object]
PAIRS: dict[str, tuple[Callable[[], PositionMethod], Rival]] = {
    "rope": (
        lambda: RoPE(SHAPE),
        {"rotary_pos_emb": True, "rotary_emb_dim": WIDTH // HEADS},
    ),
    "ape": (lambda: APE(SHAPE), {}),
    "alibi": (lambda: ALiBi(SHAPE), {"alibi_pos_bias": True, "alibi_num_heads": HEADS}),
}


def ours(make: Callable[[], PositionMethod]) -> tuple[nn.Module, Callable[[Tensor], Tensor]]:
    """A posemb model, and its forward pass from tokens (B, T) to logits (B, T, V)."""
    model = Transformer(VOCABULARY, Backbone(WIDTH, LAYERS, HEADS, HIDDEN, "causal"), make())
    model.initialise(0)
    ids = torch.arange(TOKENS)[None]
    return model, lambda tokens: model(tokens, model.positions(ids, 0, TOKENS, prompt=22))


def theirs(rival: Rival, flash: bool) -> tuple[nn.Module, Callable[[Tensor], Tensor]]:
    """The x-transformers model of the same shape, and its forward pass."""
    from x_transformers import Decoder, TransformerWrapper

    model = TransformerWrapper(
        num_tokens=VOCABULARY,
        max_seq_len=TOKENS,
        use_abs_pos_emb=not rival,
        attn_layers=Decoder(
            dim=WIDTH,
            depth=LAYERS,
            heads=HEADS,
            attn_dim_head=WIDTH // HEADS,
            ff_mult=HIDDEN,
            attn_flash=flash,
            verbose=False,
            **rival,
        ),
    )
    return model, model


class Runner:
    """A model with its optimizer; `step` times one training step in seconds."""

    def __init__(self, model: nn.Module, forward: Callable[[Tensor], Tensor]) -> None:
        self.model, self.forward = model, forward
        self.parameters = list(model.parameters())
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-3, fused=True)

    def step(self, tokens: Tensor, targets: Tensor) -> float:
        began = perf_counter()
        loss = F.cross_entropy(self.forward(tokens).flatten(0, 1), targets.flatten())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        self.optimizer.step()
        return perf_counter() - began

    @property
    def size(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters)


def take_turns(runners: list[Runner], rounds: int, warm: int) -> list[list[float]]:
    """Step times of every runner, round by round; the order turns around after each round."""
    times: list[list[float]] = [[] for _ in runners]
    for turn in range(warm + rounds):
        tokens = torch.randint(VOCABULARY, (ROWS, TOKENS + 1))
        order = range(len(runners)) if turn % 2 else reversed(range(len(runners)))
        for index in order:
            seconds = runners[index].step(tokens[:, :-1], tokens[:, 1:])
            if turn >= warm:
                times[index].append(seconds)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=150, help="timed steps of each model (default 150)")
    parser.add_argument("--warm", type=int, default=15, help="steps before timing begins (default 15)")
    parser.add_argument(
        "--tolerance", type=float, default=0.02, help="how far above 1 a ratio may lie, for timer noise (default 0.02)"
    )
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    torch.manual_seed(0)
    print(
        f"torch {torch.__version__}, {chosen.threads} thread(s), width {WIDTH}, {LAYERS} layers, {HEADS} heads, "
        f"batch {ROWS} x {TOKENS} tokens, median of {chosen.rounds} steps"
    )
    print(f"{'method':8}{'parameters':>20}{'posemb ms':>12}{'x-tr. ms':>12}{'(flash)':>9}{'ratio':>8}  quartiles")
    slower = []
    for name, (make, rival) in PAIRS.items():
        runners = [Runner(*ours(make)), Runner(*theirs(rival, False)), Runner(*theirs(rival, True))]
        times = take_turns(runners, chosen.rounds, chosen.warm)
        flash = median(times[2]) < median(times[1])
        ratios = [a / b for a, b in zip(times[0], times[2 if flash else 1], strict=True)]
        low, ratio, high = quantiles(ratios, n=4)
        print(
            f"{name:8}{f'{runners[0].size} / {runners[1].size}':>20}{1e3 * median(times[0]):12.2f}"
            f"{1e3 * median(times[2 if flash else 1]):12.2f}{'on' if flash else 'off':>9}{ratio:8.3f}"
            f"  {low:.3f} to {high:.3f}"
        )
        if ratio > 1 + chosen.tolerance:
            slower.append(name)
    if slower:
        print(
            f"Slower than x-transformers (ratio above {1 + chosen.tolerance:g}): {', '.join(slower)}", file=sys.stderr
        )
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
