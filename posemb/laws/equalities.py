"""Methods that must be another one at some value of their parameters, on the same backbone weights.

Here methods are named, as nowhere else outside posemb.position: an equality is about two of them.
"""

from collections.abc import Iterator
from unittest.mock import patch

import torch
from torch import Tensor

from posemb.ids.randomized import Randomized
from posemb.laws.equalities_rotary import all_pairs, no_pairs, other_layout, unfading, unscaled
from posemb.laws.equality import Equality, Pair, again, as_
from posemb.laws.law import Exempt, Finding, law
from posemb.laws.subject import LENGTH, TRAINED, Subject, run, tokens
from posemb.position import alibi
from posemb.position.alibi import ALiBi
from posemb.position.ape import APE
from posemb.position.base import PositionMethod
from posemb.position.composite import Composite
from posemb.position.cope import CoPE
from posemb.position.fire import FIRE
from posemb.position.kerple_power import KerplePower
from posemb.position.nope import NoPE
from posemb.position.p_rope import PRoPE
from posemb.position.rope import RoPE
from posemb.position.rope_partial import PartialRoPE
from posemb.position.rpe import RPE
from posemb.position.shaw import Shaw
from posemb.position.t5 import T5
from posemb.position.transformer_xl import TransformerXL
from posemb.position.xpos import XPos
from posemb.run.build import class_of

EXACT = 1e-12


@law
def equalities(subject: Subject, found: Finding) -> None:
    """At some value of its parameters a method is another one.

    A table of zeros is no position, a scaling by 1 is none, p-RoPE at 1 is RoPE, and so on.
    """
    cls, compared = subject.method.cls, False
    for equality in EQUALITIES.get(cls, ()):
        for what, one, other, length in equality(subject):
            compared = True
            for rows, ids in subject.rows_of(length):
                found.near(run(one, rows, ids), run(other, rows, ids), EXACT, what)
    if subject.scheme.id_limit == TRAINED and not subject.scheme.spreads:
        tight, rows = Subject(subject.method, Randomized(TRAINED, limit=TRAINED), subject.attention), tokens(TRAINED)
        plain = torch.arange(TRAINED)[None]
        drawn, right = run(tight.model(), rows, tight.ids(TRAINED)), run(subject.model(), rows, plain)
        found.near(drawn, right, EXACT, "randomized ids with no room are sequential")
        compared = True
    if not compared:
        raise Exempt("no equality is known")


def zeroed(*names: str) -> Equality:
    """With these parameters at zero, a method is no position."""

    def equality(subject: Subject) -> Iterator[Pair]:
        model = subject.model()
        for name in names:
            model.position.get_parameter(name).data.zero_()
        yield Pair(f"{' = '.join(names)} = 0 is no position", model, as_(subject, NoPE))

    return equality


def no_slope(subject: Subject) -> Iterator[Pair]:
    """Linear biases without a slope."""
    with patch.object(alibi, "slopes", lambda heads: [0.0] * heads):
        yield Pair("slopes of 0 are no position", subject.model(), as_(subject, NoPE))


def linear_kerple(subject: Subject) -> Iterator[Pair]:
    """A power of one, with ALiBi's slopes."""
    model = as_(subject, KerplePower)
    model.position.get_parameter("power").data.zero_()  # 2σ(0) = 1
    height = torch.tensor(alibi.slopes(model.position.shape.heads), dtype=torch.float64).expm1().log()
    model.position.get_parameter("height").data = height
    yield Pair("a power of 1 is alibi", model, as_(subject, ALiBi))


def all_gates(subject: Subject) -> Iterator[Pair]:
    """With every gate 1 a count is a distance and one: Shaw's vectors, where ids count tokens."""
    if subject.scheme.spreads or not torch.equal(subject.ids(), torch.arange(LENGTH)[None]):
        return
    model, right = subject.model(), as_(subject, Shaw, farthest=LENGTH)
    table = torch.zeros_like(right.position.get_parameter("table"))
    # Shaw counts c = j - i, from -K on; e[p] belongs to c = 1 - p.
    table[:, 1 : LENGTH + 1] = model.position.get_parameter("table")[:, 1 : LENGTH + 1].flip(1)
    right.position.get_parameter("table").data = table
    with patch.object(Tensor, "sigmoid", lambda gate: torch.ones_like(gate)):
        yield Pair("gates of 1 are shaw's side of the key", model, right)


def of_one_part(subject: Subject) -> Iterator[Pair]:
    """A method made of one method on all layers."""
    for name, part in subject.method.params["parts"].items():
        found = again(subject, parts={name: part}, layers=None)
        right = as_(subject, class_of(part), **{key: value for key, value in part.items() if key != "_target_"})
        right.position.load_state_dict({key.split(".", 2)[2]: v for key, v in found.position.state_dict().items()})
        yield Pair(f"{name} as the only part is {name}", found, right)


EQUALITIES: dict[type[PositionMethod], tuple[Equality, ...]] = {
    APE: (zeroed("table"),),
    RPE: (zeroed("table"),),
    T5: (zeroed("table"),),
    Shaw: (zeroed("table"),),
    CoPE: (zeroed("table"), all_gates),
    TransformerXL: (zeroed("u", "v", "project"),),
    FIRE: (zeroed("outer"),),
    ALiBi: (no_slope, linear_kerple),
    KerplePower: (linear_kerple,),
    RoPE: (unscaled, other_layout),
    PartialRoPE: (unscaled, all_pairs("share")),
    PRoPE: (unscaled, all_pairs("p"), no_pairs),
    XPos: (unfading, other_layout),
    Composite: (of_one_part,),
}
