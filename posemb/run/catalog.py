"""What can be said about an option without importing torch: its docstring, its hooks and its code, read by `ast`."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.compose import compose, options
from posemb.run.nearest import meant

# What `show --code` prints of a class, where its body defines it. A method's hooks come in addition.
CORE = {"position": ("prepare",), "ids": ("id_limit", "assign"), "task": ("sample", "solve")}


@dataclass(frozen=True)
class Option:
    """One option of a group that names a class.

    Attributes:
        group: position, ids or task.
        name: what it is called on the command line.
        file: its YAML file.
        target: `module.Class`.
        source: the module's file.
    """

    group: str
    name: str
    file: Path
    target: str
    source: Path

    @cached_property
    def _module(self) -> ast.Module:
        return ast.parse(self.source.read_text("utf-8"), str(self.source))

    @cached_property
    def _class(self) -> ast.ClassDef:
        name = self.target.rpartition(".")[2]
        classes = [node for node in self._module.body if isinstance(node, ast.ClassDef)]
        for node in classes:
            if node.name == name:
                return node
        hint = meant(name, [node.name for node in classes], "Classes")
        raise UsageError(f"{self.file}: {self.source} has no class {name}. {hint}")

    @property
    def doc(self) -> str:
        """The class's docstring, unindented."""
        return inspect.cleandoc(ast.get_docstring(self._class) or "")

    @property
    def summary(self) -> str:
        """The docstring's first line."""
        return self.doc.partition("\n")[0]

    @property
    def points(self) -> tuple[str, ...]:
        """Where a position method enters the model: the hooks that its class overrides. Empty for NoPE."""
        return tuple(hook for hook in hooks() if hook in self._functions)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the option's YAML sets, and may be overridden."""
        return {key: value for key, value in _section(self.file, self.group).items() if key != "_target_"}

    @property
    def _functions(self) -> dict[str, ast.FunctionDef]:
        return {node.name: node for node in self._class.body if isinstance(node, ast.FunctionDef)}

    def code(self) -> str:
        """The real source of its hooks (ids: assign; tasks: sample and solve), after the functions that they call."""
        wanted = [*CORE[self.group], *(hooks() if self.group == "position" else ())]
        methods = [self._functions[name] for name in wanted if name in self._functions]
        if not methods:
            return self._lines(self._class)
        called = {node.id for method in methods for node in ast.walk(method) if isinstance(node, ast.Name)}
        helpers = [node for node in self._module.body if isinstance(node, ast.FunctionDef) and node.name in called]
        return "\n\n".join(self._lines(node) for node in [*helpers, *methods])

    def _lines(self, node: ast.FunctionDef | ast.ClassDef) -> str:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines = self.source.read_text("utf-8").splitlines()[first - 1 : node.end_lineno]
        return "\n".join(lines)


def option(group: str, name: str, config_dir: Path | None = None) -> Option:
    """The facts about one option.

    Raises:
        UsageError: there is no such option, or what its file names cannot be found.
    """
    known = options(group, config_dir)
    if name not in known:
        raise UsageError(f"{group} has no option {name!r}. {meant(name, known)}")
    target = _section(known[name], group).get("_target_")
    if target is None:  # the file builds on another one through its defaults list
        target = compose([f"{group}={name}"], config_dir)[group].get("_target_")
    if not isinstance(target, str):
        raise UsageError(f"{known[name]}: no _target_ that names a class.")
    return Option(group, name, known[name], target, source_of(target, known[name]))


def catalog(group: str, config_dir: Path | None = None) -> Iterator[Option]:
    """All options of a group, sorted by name."""
    for name in options(group, config_dir):
        yield option(group, name, config_dir)


def source_of(target: str, file: Path) -> Path:
    """The file of the module that `module.Class` names. The module itself is not run, only packages above it.

    Raises:
        UsageError: there is no such module, or it has no Python source.
    """
    module = target.rpartition(".")[0]
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):  # a package above it is missing or broken, or the name is empty
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise UsageError(f"{file}: no module {module!r} is importable. Install it, or put its folder into PYTHONPATH.")
    return Path(spec.origin)


def hooks() -> tuple[str, ...]:
    """The names of the three hooks, as posemb.position.base defines them."""
    base = ast.parse(source_of("posemb.position.base.HOOKS", Path("posemb")).read_text("utf-8"))
    for node in base.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "HOOKS":
            return ast.literal_eval(node.value)
    raise AssertionError("posemb.position.base defines HOOKS")


def _section(file: Path, group: str) -> dict[str, Any]:
    """The part of an option's file that describes the group; a file may also set other groups (package _global_)."""
    import yaml

    try:
        content = yaml.safe_load(file.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{file}: not readable as YAML: {' '.join(str(error).split())[:300]}") from error
    content = content if isinstance(content, dict) else {}
    nested = content.get(group)
    section = nested if isinstance(nested, dict) and "_target_" not in content else content
    return {key: value for key, value in section.items() if key != "defaults"}
