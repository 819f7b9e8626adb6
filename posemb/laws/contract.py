"""The position contract, as far as a run of it shows."""

from dataclasses import replace

import torch
from torch import Tensor

from posemb.laws.law import Finding, law
from posemb.laws.subject import LAYERS, LENGTH, ROWS, Subject, run, tokens
from posemb.position.base import HOOKS, QK, PositionMethod, injection_points


@law
@torch.no_grad()
def contract(subject: Subject, found: Finding) -> None:
    """A method acts at the hooks that it overrides and nowhere else, and changes nothing that it is given.

    It is final and no child of another method. What it learns is a parameter, drawn from the given stream alone; it
    keeps no buffer, which a cast would round; how far it will be asked sizes a table and nothing else.
    """
    _hooks(subject, found)
    _chance(subject, found)
    _asked(subject, found)
    method, cls = subject.model().position, subject.method.cls
    found.holds(cls.__bases__ == (PositionMethod,), f"{cls.__name__} is a child of more than PositionMethod")
    found.holds(bool(cls.__dict__.get("__final__")), f"{cls.__name__} is not marked typing.final")
    learned = {name for name, _ in method.named_parameters()}
    found.holds(set(method.state_dict()) == learned, "something saved with the model is no parameter")
    found.holds(not list(method.buffers()), "a buffer is cast along with the model: compute it in `prepare`")


def _hooks(subject: Subject, found: Finding) -> None:
    method, at = subject.model().position, subject.at(subject.ids())
    x = torch.ones(ROWS, LENGTH, subject.shape.width, dtype=torch.float64)
    given = x, subject.heads("q"), subject.heads("k")
    x, q, k = (one.clone() for one in given)
    tables = method.prepare(at)
    acts = {"at_embedding": not torch.equal(method.at_embedding(x, at, tables), given[0]), "at_qk": False}
    biases = []
    for layer in range(LAYERS):
        placed = method.at_qk(q, k, at, tables, layer)
        found.holds(isinstance(placed, QK), "at_qk must return QK(q, k)")
        acts["at_qk"] |= not all(map(torch.equal, placed, given[1:]))
        biases.append(method.at_scores(q, k, at, tables, layer))
    acts["at_scores"] = any(bias is not None for bias in biases)
    found.holds(all(map(torch.equal, (x, q, k), given)), "a hook changes the tensors that it is given")
    points = injection_points(method)
    for hook in HOOKS:
        found.holds(acts[hook] == (hook in points), f"{hook}: {'overridden, idle' if hook in points else 'acts'}")


def _chance(subject: Subject, found: Finding) -> None:
    """Torch's global generator has no say, in the start or in a pass, in training or after."""
    starts, outputs, still = [], [], True
    for seed in (0, 1):
        torch.manual_seed(seed)
        starts.append(subject.position.state_dict())
        model = subject.model()
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        outputs.append([run(model.train(mode), tokens(), subject.ids()) for mode in (True, False)])
        still &= torch.equal(torch.get_rng_state(), before)
    first, other = starts
    same = all(torch.equal(value, other[name]) for name, value in first.items())
    found.holds(same, "its first weights are drawn in __init__: draw them in `initialise`, from `rng`")
    found.holds(still, "a pass draws from torch's global generator, or sets it")
    again = all(_equal(*pair) for pair in zip(*outputs, strict=True))
    found.holds(again or not (still and same), "the same model, built twice, gives two outputs")


def _asked(subject: Subject, found: Finding) -> None:
    other = subject.method.build(replace(subject.shape, asked=2 * subject.shape.asked))
    model = subject.model()
    weights = model.position.state_dict()
    if any(value.shape != weights[name].shape for name, value in other.state_dict().items()):
        return  # a table that grew: which of its rows are the old ones, only the method knows
    right = run(model, tokens(), subject.ids())
    other.load_state_dict(weights)
    model.position = other.double()
    found.holds(_equal(run(model, tokens(), subject.ids()), right), "Shape.asked may size a table and nothing else")


def _equal(one: Tensor, other: Tensor) -> bool:
    """To the last bit; what is not finite is another law's matter."""
    return torch.equal(one.nan_to_num(), other.nan_to_num())
