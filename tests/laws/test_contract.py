"""The position contract as code: final classes, honest hooks, no state between passes, one YAML file each."""

import inspect
from importlib import import_module
from importlib.resources import files

import pytest
import torch

from posemb.ids.base import IdScheme
from posemb.position.base import HOOKS, PositionMethod, Shape, injection_points
from posemb.position.composite import Composite
from posemb.run.catalog import catalog
from tests.conftest import options
from tests.laws.subjects import (
    FARTHEST,
    HEADS,
    LENGTH,
    ROWS,
    TRAINED,
    WIDTH,
    Method,
    Subject,
    heads,
    over_all,
    over_methods,
    run,
    tokens,
    whole,
)

CONTRACTS = {"position": PositionMethod, "ids": IdScheme}
GIVEN = {"position": "shape", "ids": "trained"}  # what the constructor is handed by posemb, not by a config
over_groups = pytest.mark.parametrize("group", CONTRACTS)


@over_groups
def test_every_class_has_a_yaml_file(group: str):
    names = [file.name for file in files(f"posemb.{group}").iterdir() if file.name.endswith(".py")]
    modules = [import_module(f"posemb.{group}.{name.removesuffix('.py')}") for name in names]
    kept = {
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, CONTRACTS[group]) and cls.__module__ == module.__name__
    }
    assert kept - {CONTRACTS[group]} == {option.target for option in options(group)}


@over_groups
def test_classes_are_final_and_stand_directly_on_their_contract(group: str):
    for option in options(group):
        assert option.target.__bases__ == (CONTRACTS[group],)
        assert option.target.__dict__.get("__final__"), f"{option.name}: add typing.final"


@over_groups
def test_a_yaml_file_states_every_parameter_with_the_value_that_python_has(group: str):
    for option in options(group):
        signature = inspect.signature(option.target).parameters
        defaults = {name: parameter.default for name, parameter in signature.items() if name != GIVEN[group]}
        if option.target is Composite:  # what it is made of is the option itself; each part states its own
            assert option.params.keys() == defaults.keys(), option.name
        else:
            assert option.params == defaults, option.name


@over_groups
def test_docstrings_have_a_summary_and_a_source(group: str):
    for option in options(group):
        doc = inspect.getdoc(option.target)
        assert doc.splitlines()[0].endswith(".")
        assert "\nSource:" in doc
        assert group != "position" or ("\nFormula:" in doc and "\nPast the trained length:" in doc)


def test_injection_points_read_from_the_source_are_those_of_the_class():
    listed = {option.name: option.points for option in catalog("position")}
    shape = Shape(WIDTH, HEADS, 2, TRAINED, TRAINED, FARTHEST)
    built = {option.name: Method(*option).build(shape) for option in options("position")}
    assert listed == {name: injection_points(method) for name, method in built.items()}


@over_all
@torch.no_grad()
def test_a_method_acts_at_its_injection_points_and_nowhere_else(subject: Subject):
    method, at = subject.model().position, whole(subject)
    x = torch.ones(ROWS, LENGTH, WIDTH, dtype=torch.float64)
    q, k = heads(ROWS, LENGTH, "q"), heads(ROWS, LENGTH, "k")
    tables = method.prepare(at)
    acts = {
        "at_embedding": not torch.equal(method.at_embedding(x, at, tables), x),
        "at_qk": any(not all(map(torch.equal, method.at_qk(q, k, at, tables, layer), (q, k))) for layer in range(2)),
        "at_scores": any(method.at_scores(q, k, at, tables, layer) is not None for layer in range(2)),
    }
    assert tuple(hook for hook in HOOKS if acts[hook]) == injection_points(method)


@over_all
def test_a_pass_leaves_nothing_behind(subject: Subject):
    def remembered() -> dict[str, object]:
        return {
            f"{path}.{name}": repr(value)
            for path, module in model.named_modules()
            for name, value in vars(module).items()
            if name not in ("_modules", "_parameters")
        }

    model = subject.model()
    before, weights = remembered(), {name: value.clone() for name, value in model.state_dict().items()}
    first = run(model, tokens(), subject.ids())
    run(model, tokens(24), torch.arange(FARTHEST - 24, FARTHEST)[None])  # another length, other ids
    assert remembered() == before
    assert model.state_dict().keys() == weights.keys()
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert torch.equal(run(model, tokens(), subject.ids()), first)


@over_methods
def test_a_method_moves_with_its_model(subject: Subject):
    """Everything learned is a parameter of the module, under `position.`, and nothing else is."""
    model = subject.model()
    own = {name for name in model.state_dict() if name.startswith("position.")}
    assert own == {f"position.{name}" for name, _ in model.position.named_parameters()}
