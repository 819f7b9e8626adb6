"""The position contract, as far as a run of it shows."""

import torch

from posemb.laws.law import Finding, law
from posemb.laws.subject import LENGTH, ROWS, WIDTH, Subject, heads, whole
from posemb.position.base import HOOKS, injection_points


@law
@torch.no_grad()
def contract(subject: Subject, found: Finding) -> None:
    """A method acts at the hooks that it overrides and nowhere else.

    What it learns is a parameter, and it keeps no buffer, which a cast of the model would round.
    """
    method, at = subject.model().position, whole(subject)
    x = torch.ones(ROWS, LENGTH, WIDTH, dtype=torch.float64)
    q, k = heads(ROWS, LENGTH, "q"), heads(ROWS, LENGTH, "k")
    tables = method.prepare(at)
    acts = {
        "at_embedding": not torch.equal(method.at_embedding(x, at, tables), x),
        "at_qk": any(not all(map(torch.equal, method.at_qk(q, k, at, tables, layer), (q, k))) for layer in range(2)),
        "at_scores": any(method.at_scores(q, k, at, tables, layer) is not None for layer in range(2)),
    }
    points = injection_points(method)
    for hook in HOOKS:
        found.holds(acts[hook] == (hook in points), f"{hook}: {'overridden, idle' if hook in points else 'acts'}")
    learned = {name for name, _ in method.named_parameters()}
    found.holds(set(method.state_dict()) == learned, "something saved with the model is no parameter")
    found.holds(not list(method.buffers()), "a buffer is cast along with the model: compute it in `prepare`")
