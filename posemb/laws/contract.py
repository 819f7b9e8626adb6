"""The position contract, as far as a run of it shows."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LAYERS, LENGTH, ROWS, Subject, run, tokens
from posemb.position.base import HOOKS, injection_points


@law
@torch.no_grad()
def contract(subject: Subject, found: Finding) -> None:
    """A method acts at the hooks that it overrides and nowhere else, and changes nothing that it is given.

    What it learns is a parameter, drawn from the given stream alone; it keeps no buffer, which a cast would round.
    """
    _hooks(subject, found)
    _chance(subject, found)
    method = subject.model().position
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
        acts["at_qk"] |= not all(map(torch.equal, method.at_qk(q, k, at, tables, layer), given[1:]))
        biases.append(method.at_scores(q, k, at, tables, layer))
    acts["at_scores"] = any(bias is not None for bias in biases)
    found.holds(all(map(torch.equal, (x, q, k), given)), "a hook changes the tensors that it is given")
    points = injection_points(method)
    for hook in HOOKS:
        found.holds(acts[hook] == (hook in points), f"{hook}: {'overridden, idle' if hook in points else 'acts'}")


def _chance(subject: Subject, found: Finding) -> None:
    """Torch's global generator has no say, in the start or in a pass."""
    starts, outputs, states = [], [], []
    for seed in (0, 1):
        torch.manual_seed(seed)
        method = subject.position
        model = subject.model()
        starts.append(method.state_dict())
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        outputs.append(run(model, tokens(), subject.ids()))
        states.append(torch.equal(torch.get_rng_state(), before))
    one, other = starts
    same = all(torch.equal(value, other[name]) for name, value in one.items())
    found.holds(same, "its first weights are drawn in __init__: draw them in `initialise`, from `rng`")
    found.holds(torch.equal(*outputs) and all(states), "a pass draws from torch's global generator, or sets it")
