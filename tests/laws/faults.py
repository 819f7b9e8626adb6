"""Planting a fault: code that runs is exchanged for the same code with another text in one place."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import CodeType, FunctionType, ModuleType

import pytest


def plant(monkeypatch: pytest.MonkeyPatch, module_name: str, old: str, new: str) -> None:
    """Run `new` in place of `old` wherever the functions of a module are called, until the test ends.

    The text must occur once. Functions keep their identity, so whoever has imported them runs the fault, too.
    """
    module = import_module(module_name)
    source = inspect.getsource(module)
    assert source.count(old) == 1, f"{module_name} holds {old!r} {source.count(old)} times"
    faulty = dict(_codes(compile(source.replace(old, new), module.__file__ or "", "exec")))
    changed = 0
    for function in _functions(module):
        code = faulty.get(function.__qualname__, function.__code__)  # dataclasses write functions of their own
        if code != function.__code__:
            monkeypatch.setattr(function, "__code__", code)
            changed += 1
    assert changed, f"{new!r} changes no function of {module_name}"


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    """The code of every function by its qualified name."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant.co_qualname, constant
            yield from _codes(constant)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions of a module, and those of its classes."""
    classes = [
        value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__
    ]
    for holder in [module, *classes]:
        for value in vars(holder).values():
            value = getattr(value, "func", getattr(value, "fget", value))  # cached_property, property
            function = inspect.unwrap(value) if callable(value) else value
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                yield function
