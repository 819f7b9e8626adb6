"""The position contract as code: final classes, honest hooks, no state between passes, one YAML file each."""

import inspect
import re
from importlib import import_module
from importlib.resources import files

import pytest

from posemb.ids.base import IdScheme
from posemb.laws.subject import FARTHEST, SIZES, TRAINED, Method
from posemb.position.base import PositionMethod, Shape, injection_points
from posemb.position.composite import Composite
from posemb.run.catalog import catalog
from tests.conftest import options

CONTRACTS = {"position": PositionMethod, "ids": IdScheme}
GIVEN = {"position": "shape", "ids": "trained"}  # what the constructor is handed by posemb, not by a config
# The parts of a docstring, in their order.
PARTS = "Formula", "Past the trained length", "Differs from the paper or its code", "Source", "Args", "Raises"
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
        named = re.findall(r"^(\w[\w ]*):$", doc, re.MULTILINE)
        assert named == [part for part in PARTS if part in named], option.name


def test_injection_points_read_from_the_source_are_those_of_the_class():
    listed = {option.name: option.points for option in catalog("position")}
    shape = Shape(*SIZES[0], 2, TRAINED, TRAINED, FARTHEST)
    built = {option.name: Method(*option).build(shape) for option in options("position")}
    assert listed == {name: injection_points(method) for name, method in built.items()}
