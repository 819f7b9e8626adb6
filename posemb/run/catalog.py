"""What can be said about an option without importing torch: its docstring, its hooks and its code, read by `ast`."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from posemb.errors import UsageError
from posemb.run.compose import compose, options
from posemb.run.nearest import meant
from posemb.run.optionfile import comment, section_of

# What `show --code` prints of a class, where its body defines it; of a method its hooks as well.
CORE = {"position": ("prepare",), "ids": ("id_limit", "assign"), "task": ("sample", "solve")}


@dataclass(frozen=True)
class Option:
    """One option of a group that names a class.

    Attributes:
        group: position, ids or task.
        name: what it is called on the command line.
        file: its YAML file.
        section: `_target_`, which names the class, and its parameters.
        own: what the comment at the top of the file says; most have none.
    """

    group: str
    name: str
    file: Path
    section: dict[str, Any]
    own: str = ""

    @property
    def target(self) -> str:
        """`module.Class`."""
        return str(self.section["_target_"])

    @property
    def source(self) -> Path:
        """The file of the class's module."""
        return source_of(self.target, self.file)

    @cached_property
    def _module(self) -> ast.Module:
        return ast.parse(self.source.read_text("utf-8"), str(self.source))

    @cached_property
    def _class(self) -> ast.ClassDef:
        name = self.target.rpartition(".")[2]
        classes = {node.name: node for node in self._module.body if isinstance(node, ast.ClassDef)}
        if name not in classes:
            raise UsageError(f"{self.file}: {self.source} has no class {name}. {meant(name, classes, 'Classes')}")
        return classes[name]

    @property
    def doc(self) -> str:
        """The class's docstring, unindented."""
        return inspect.cleandoc(ast.get_docstring(self._class) or "")

    @property
    def summary(self) -> str:
        """The comment at the top of its file: options of one class differ. Without one, the docstring's first line."""
        return self.own or self.doc.partition("\n")[0]

    @property
    def about(self) -> str:
        """What is printed of it: the docstring, under the option's own summary where it has one."""
        return f"{self.own}\n\n{self.doc}".lstrip()

    @property
    def points(self) -> tuple[str, ...]:
        """Where a position method enters the model: the hooks that it, or what it is made of, overrides."""
        inside = [part.points for part in self.made_of] or [tuple(self._functions)]
        return tuple(hook for hook in hooks() if any(hook in points for points in inside))

    @property
    def made_of(self) -> list["Option"]:
        """The parts of a method made of methods: the sections within its own that name a class."""
        inner = [part for value in self.section.values() if isinstance(value, dict) for part in value.items()]
        named = [part for part in inner if isinstance(part[1], dict) and "_target_" in part[1]]
        return [replace(self, name=name, section=section, own="") for name, section in named]

    @property
    def parameters(self) -> dict[str, Any]:
        """What the option's YAML sets, and may be overridden."""
        return {key: value for key, value in self.section.items() if key != "_target_"}

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
        return "\n".join(self.source.read_text("utf-8").splitlines()[first - 1 : node.end_lineno])


def option(group: str, name: str, config_dir: Path | None = None) -> Option:
    """The facts about one option.

    Raises:
        UsageError: there is no such option, or what its file names cannot be found.
    """
    known = options(group, config_dir)
    if name not in known:
        raise UsageError(f"{group} has no option {name!r}. {meant(name, known)}")
    section = section_of(known[name], group)
    if section.pop("defaults", None) or "_target_" not in section:  # the file builds on others
        section = compose([f"{group}={name}"], config_dir)[group]
    if not isinstance(section.get("_target_"), str):
        raise UsageError(f"{known[name]}: no _target_ that names a class.")
    source_of(section["_target_"], known[name])  # raises where there is none
    return Option(group, name, known[name], section, comment(known[name]))


def catalog(group: str, config_dir: Path | None = None) -> Iterator[Option]:
    """All options of a group, sorted by name."""
    yield from (option(group, name, config_dir) for name in options(group, config_dir))


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
    if spec and spec.origin and spec.origin.endswith(".py"):
        return Path(spec.origin)
    raise UsageError(f"{file}: no module {module!r} is importable. Install it, or put its folder into PYTHONPATH.")


def hooks() -> tuple[str, ...]:
    """The names of the three hooks, as posemb.position.base defines them."""
    base = ast.parse(source_of("posemb.position.base.HOOKS", Path("posemb")).read_text("utf-8"))
    assigned = {ast.unparse(node.targets[0]): node.value for node in base.body if isinstance(node, ast.Assign)}
    return ast.literal_eval(assigned["HOOKS"])
