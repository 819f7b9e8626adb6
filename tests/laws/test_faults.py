"""Mutation tests: faults that position methods really have, each planted in the code, make `posemb check` fail.

Each is planted by exchanging a few words of the source, and seen through the command: its exit code, and the laws that
it names. Without the fault the same methods pass (test_laws.py).
"""

import json
from typing import NamedTuple

import pytest
from posemb.cli.app import run

from tests.laws.faults import plant


class Fault(NamedTuple):
    """A fault.

    Attributes:
        method: the one that is checked.
        laws: those that it breaks, and that are named.
        edits: module, what it says, what the fault says.
    """

    method: str
    laws: set[str]
    edits: tuple[tuple[str, str, str], ...]


ROPE, ATTENTION, LADDER = "posemb.position.rope", "posemb.model.attention", "posemb.position.ladder"
PLACED = "        q, k = position.at_qk(q, k, at, tables, layer)\n"
CACHED = "        if cache is not None:\n            k, v = cache.extend(layer, k, v)\n" + PLACED
# New keys are placed before they are cached, with the tables of their own places.
ROTATED = (
    "        raw = torch.cat([k.new_zeros(*k.shape[:2], at.start, k.shape[3]), k], dim=2)\n"
    "        q, k = position.at_qk(q, raw, at, tables, layer)\n"
    "        k = k[:, :, at.start :]\n"
    "        if cache is not None:\n            k, v = cache.extend(layer, k, v)\n"
)
CURRENT = (LADDER, "target = at.horizon if", "target = at.k.shape[1] if")

FAULTS = {
    "mixed rotary layouts": Fault(
        "rope_alternating",
        {"shift"},
        (
            (
                ROPE,
                "rotate(k, tables, self.pairs))",
                'rotate(k, tables, "half" if self.pairs != "half" else "interleaved"))',
            ),
        ),
    ),
    "values rotated": Fault(
        "rope_alternating",
        {"values"},
        ((ATTENTION, PLACED, PLACED + "        v = position.at_qk(q, v, at, tables, layer).k\n"),),
    ),
    "half-precision positions of rope": Fault(
        "rope",
        {"examples", "shift"},
        (("posemb.position.angle", "ids[..., None].to(theta.dtype)", "ids[..., None].bfloat16().to(theta.dtype)"),),
    ),
    "half-precision positions of sinusoidal": Fault(
        "sinusoidal",
        {"examples"},
        (("posemb.position.angle", "ids[..., None].to(theta.dtype)", "ids[..., None].bfloat16().to(theta.dtype)"),),
    ),
    "angles in the dtype of autocast": Fault(
        "rope_alternating",
        {"precision"},
        (
            (
                ROPE,
                "phase = phases(ids, theta).unsqueeze(1)",
                "phase = (ids[..., None].float() @ theta[None].float()).float().unsqueeze(1)",
            ),
        ),
    ),
    "slopes off by one": Fault(
        "alibi",
        {"examples"},
        (("posemb.position.alibi", "for h in range(1, heads + 1)]", "for h in range(heads)]"),),
    ),
    "bucket off by one": Fault(
        "t5",
        {"examples"},
        (("posemb.position.t5", "wide = exact + (", "wide = exact - 1 + ("),),
    ),
    "temperature twice": Fault(
        "rope",
        {"equalities"},
        ((ROPE, "return turns(at.k, theta, temperature)", "return turns(at.k, theta, temperature**2)"),),
    ),
    "scaling from the current length": Fault("rope", {"horizon"}, (CURRENT,)),
    "keys cached after rotation with a dynamic base": Fault(
        "rope", {"decoding"}, ((ATTENTION, CACHED, ROTATED), CURRENT)
    ),
    "mask from ids": Fault(
        "nope",
        {"causality"},
        (
            ("posemb.position.positions", "return key <= query", "return (self.gap >= 0)[:, None]"),
            (ATTENTION, "if bias is None and at.causal and q.shape[2] == k.shape[2]:", "if False:"),
        ),
    ),
    "is_causal with unequal lengths": Fault(
        "rope_alternating",
        {"decoding"},
        ((ATTENTION, "if bias is None and at.causal and q.shape[2] == k.shape[2]:", "if bias is None and at.causal:"),),
    ),
    "gates summed before masking": Fault(
        "cope",
        {"causality", "decoding"},
        (("posemb.position.cope", "gates.masked_fill(~at.visible, 0)", "gates"),),
    ),
    "normaliser over T": Fault(
        "fire",
        {"horizon"},
        (("posemb.position.fire", "at.q[:, :, None], c,", "torch.full_like(at.q[:, :, None], at.horizon), c,"),),
    ),
    "normaliser over the tokens so far": Fault(
        "fire",
        {"decoding", "horizon"},
        (("posemb.position.fire", "at.q[:, :, None], c,", "torch.full_like(at.q[:, :, None], at.k.shape[1]), c,"),),
    ),
    "dynamic_ntk that never scales": Fault(
        "rope", {"equalities"}, ((LADDER, "target = at.horizon if", "target = self.shape.trained if"),)
    ),
    "ntk with the whole head in its exponent": Fault(
        "rope",
        {"examples"},
        (("posemb.position.scaling", "device=theta.device) / (len(theta) - 1)", "device=theta.device) / len(theta)"),),
    ),
    "pi that multiplies": Fault(
        "rope",
        {"examples"},
        (
            (
                "posemb.position.scaling",
                "return Scaled(theta / stretch(trained, target))",
                "return Scaled(theta * stretch(trained, target))",
            ),
        ),
    ),
    "a squared distance": Fault(
        "alibi",
        {"equalities", "examples"},
        (("posemb.position.alibi", "-slope * at.gap.abs().unsqueeze(1)", "-slope * at.gap.abs().unsqueeze(1) ** 2"),),
    ),
    "distances in half precision": Fault(
        "alibi",
        {"examples"},
        (("posemb.position.alibi", "at.gap.abs().unsqueeze(1)", "at.gap.abs().bfloat16().float().unsqueeze(1)"),),
    ),
    "a kernel of signed distances": Fault(
        "kerple_log",
        {"bias", "examples"},
        (
            (
                "posemb.position.kerple_log",
                "torch.log1p(r2 * at.gap.abs().unsqueeze(1))",
                "torch.log1p(r2 * at.gap.unsqueeze(1))",
            ),
        ),
    ),
    "a sum without its scale": Fault(
        "sinusoidal",
        {"examples"},
        (("posemb.position.sinusoidal", "x * sqrt(self.shape.width) + tables", "x + tables"),),
    ),
    "one bucket for both sides": Fault(
        "t5",
        {"examples", "order"},
        (("posemb.position.t5", "torch.where(at.gap < 0, index + self.buckets, index)", "index"),),
    ),
    "heads upside down": Fault(
        "sandwich", {"examples"}, (("posemb.position.sandwich", "self.shape.heads / (8 * head)", "head / 8"),)
    ),
    "a projection turned over": Fault(
        "transformer_xl",
        {"examples"},
        (("posemb.position.transformer_xl", "@ self.project[layer].T  #", "@ self.project[layer]  #"),),
    ),
    "factors of queries and keys exchanged": Fault(
        "xpos",
        {"examples"},
        (
            (
                "posemb.position.xpos",
                "rotate(q, tables.q[:, :, at.start :], self.pairs), rotate(k, tables.k, self.pairs)",
                "rotate(q, tables.k[:, :, at.start :], self.pairs), rotate(k, tables.q, self.pairs)",
            ),
        ),
    ),
    "the ladder of the whole head": Fault(
        "rope_partial", {"examples"}, (("posemb.position.rope_partial", "Ladder(base, 2 *", "Ladder(base**share, 2 *"),)
    ),
    "a bias dropped": Fault(
        "ape_rope",
        {"examples"},
        (
            (
                "posemb.position.composite",
                "return reduce(add, biases) if biases else None",
                "return biases[0] if biases else None",
            ),
        ),
    ),
    "one table for all layers": Fault(
        "rpe", {"gradients"}, (("posemb.position.rpe", "lookup(self.table[layer] *", "lookup(self.table[0] *"),)
    ),
    "clipped counts that wrap around": Fault(
        "cope", {"examples"}, (("posemb.position.cope", ".clamp(max=len(rows) - 1)", ".remainder(len(rows))"),)
    ),
    "the table of the first row's ids": Fault(
        "shaw", {"rows"}, (("posemb.position.shaw", "return (-at.gap).clamp(", "return (-at.gap[:1]).clamp("),)
    ),
    "always ok": Fault("t5", {"reach"}, (("posemb.position.t5", "return taught(", "return Reach.OK or taught("),)),
    "never ok": Fault(
        "rope_alternating",
        {"reach"},
        (("posemb.position.base", "        return Reach.OK\n", "        return Reach.CANNOT\n"),),
    ),
    "random numbers in a pass": Fault(
        "alibi",
        {"contract"},
        (("posemb.position.alibi", "return tables.to(q.dtype)", "torch.rand(1)\n        return tables.to(q.dtype)"),),
    ),
    "tensors changed in place": Fault(
        "rope_alternating",
        {"contract"},
        (
            (
                "posemb.position.rope",
                "return QK(rotate(q, tables[:, :, at.start :], self.pairs), rotate(k, tables, self.pairs))",
                "return QK(q.copy_(rotate(q, tables[:, :, at.start :], self.pairs)), rotate(k, tables, self.pairs))",
            ),
        ),
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    for edit in fault.edits:
        plant(monkeypatch, *edit)
    asked = [word for law in fault.laws for word in ("--law", law)]
    assert run(["check", fault.method, *asked, "--jobs", "1", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert not document["passed"]
    assert {finding["law"] for finding in document["findings"] if finding["state"] == "fail"} == fault.laws
