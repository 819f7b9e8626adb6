"""The house: imports point downward, libraries stay where they belong, files and functions stay small."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Lower floors first. A module imports from floors below its own and from its own part; parts that share a floor never
# import each other. "" is the posemb package itself: the door for Python callers.
FLOORS = (
    ("configs", "errors", "labels", "layout", "seeds"),
    ("position", "ids", "task"),
    ("model",),
    ("train", "eval"),
    ("run", "report"),
    ("sweep", "laws"),
    ("",),
    ("cli",),
)
RANK = {part: floor for floor, parts in enumerate(FLOORS) for part in parts}

# Outside of these folders only their contract may be named: which method, scheme or task it is, a config says.
CONTRACTS = ("position", "ids", "task")
# But for these: text is a task in name only (nothing is asked, so nothing can be right, and its measures are its own),
# and an equality between two methods is about those two.
NAMED = {
    "posemb.task.text": "posemb/eval/text.py",
    "posemb.position": "posemb/laws/equalities",
    "posemb.ids": "posemb/laws/equalities",
}

# The only places that may know a library.
HOMES = {
    "hydra": ("run/compose.py", "run/grammar.py", "sweep/engine.py"),
    "omegaconf": ("run/compose.py",),
    "typer": ("cli/",),
    "rich": ("cli/",),
    "click": (),  # Typer carries its own
    "tensorboard": ("run/log.py", "run/hparams.py", "run/board.py"),
    "torch.utils.tensorboard": ("run/log.py",),
}

# What takes long to import, and so must wait inside the functions that need it, wherever a command that computes
# nothing passes through. (`posemb --help` is to appear at once.)
HEAVY = {"torch", "hydra", "omegaconf", "pydantic", "matplotlib", "scipy", "tensorboard", "plotext", "safetensors"}
HEAVY |= {"polars", "jinja2", "joblib", "submitit"}
LIGHT = ("cli", "report", "errors", "layout", "seeds", "run.folder", "run.settings", "train.recipe", "eval.protocol")

FILE_LINES, FUNCTION_LINES = 160, 45
SHORTER = {"posemb/model/transformer.py": 120}


@dataclass(frozen=True)
class Import:
    """One imported name. `waits`: inside a function or under TYPE_CHECKING, so not when the module is loaded."""

    name: str
    line: int
    waits: bool


class Module:
    """One parsed file of posemb or cli; `part` is the piece of the house that it belongs to."""

    def __init__(self, root: Path, path: Path) -> None:
        self.place = path.relative_to(root).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.lines = len(path.read_text(encoding="utf-8").splitlines())
        steps = path.relative_to(root).with_suffix("").parts
        self.is_package = steps[-1] == "__init__"
        steps = steps[:-1] if self.is_package else steps
        # cli/ and configs/ lie beside posemb/ and are installed inside it.
        self.name = ".".join(steps if steps[0] == "posemb" else ("posemb", *steps))
        self.part = part_of(self.name)
        self.imports = list(self.walk(self.tree, waits=False))

    def walk(self, node: ast.AST, waits: bool) -> Iterator[Import]:
        """Every import at or below `node`."""
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, waits) for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = self.name.split(".")[: None if self.is_package else -1]
                package = package[: len(package) - node.level + 1]
                base = ".".join([*package, *([base] if base else [])])
            yield from (Import(f"{base}.{alias.name}", node.lineno, waits) for alias in node.names)
        deferred = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        deferred |= isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.iter_child_nodes(node):
            yield from self.walk(child, waits or deferred)


def part_of(name: str) -> str:
    """`posemb.position.rope` -> `position`; of the package itself, or of a name defined in it, the empty part."""
    step = name.split(".")[1] if "." in name else ""
    return step if step in RANK else ""


def house(root: Path) -> list[Module]:
    """Every module of the two packages."""
    return [Module(root, path) for top in ("posemb", "cli", "configs") for path in sorted((root / top).rglob("*.py"))]


def within(name: str, package: str) -> bool:
    """Is `name` the package, or something in it?"""
    return name == package or name.startswith(package + ".")


def floor_faults(module: Module) -> Iterator[str]:
    """Imports that point upward or sideways, and those that name a method, a scheme or a task."""
    stray = module.name.count(".") == 1 and not module.is_package and module.part == ""
    if stray or (module.name.count(".") > 1 and module.part == ""):
        yield f"{module.place}: on no floor; give it a place in FLOORS"
    for item in module.imports:
        if not within(item.name, "posemb"):
            continue
        part = part_of(item.name)
        if part != module.part and RANK[part] >= RANK[module.part]:
            yield f"{module.place}:{item.line}: '{module.part}' may not import '{part}' ({item.name}): not below it"
        named = any(within(item.name, name) and module.place.startswith(place) for name, place in NAMED.items())
        if part in CONTRACTS and part != module.part and not named and not within(item.name, f"posemb.{part}.base"):
            yield f"{module.place}:{item.line}: imports {item.name}; outside {part}/ only its contract may be named"


def library_faults(module: Module) -> Iterator[str]:
    """Libraries outside their homes."""
    place = module.place.removeprefix("posemb/")
    for item in module.imports:
        for library, homes in HOMES.items():
            if within(item.name, library) and not any(place == home or place.startswith(home) for home in homes):
                yield f"{module.place}:{item.line}: imports {item.name}; only {homes or 'nobody'} may"


def weight_faults(modules: list[Module]) -> Iterator[str]:
    """Heavy libraries that loading a light module would load as well, through whatever it imports."""
    by_name = {module.name: module for module in modules}
    todo = [name for name in by_name if any(within(name, f"posemb.{part}") for part in LIGHT)]
    seen = set()
    while todo:
        name = todo.pop()
        if name in seen or name not in by_name:
            continue
        seen.add(name)
        todo.append(name.rpartition(".")[0])  # its package's __init__ is run first
        for item in by_name[name].imports:
            if not item.waits and item.name.split(".")[0] in HEAVY:
                yield f"{by_name[name].place}:{item.line}: loads {item.name}, and torch-free commands load this module"
            if not item.waits:
                todo += [item.name, item.name.rpartition(".")[0]]


def size_faults(module: Module) -> Iterator[str]:
    """Files and functions that have grown past what one look takes in; docstrings of functions do not count."""
    most = SHORTER.get(module.place, FILE_LINES)
    if module.lines > most:
        yield f"{module.place}: {module.lines} lines; the bound is {most}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            if ast.get_docstring(node):
                length -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
            if length > FUNCTION_LINES:
                yield f"{module.place}:{node.lineno}: {node.name} has {length} lines; the bound is {FUNCTION_LINES}"


def docstring_faults(module: Module) -> Iterator[str]:
    """Public modules, classes and functions that do not say what they are. (Methods: the linter looks.)"""
    if module.tree.body and not ast.get_docstring(module.tree):
        yield f"{module.place}: no docstring"
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name[0] != "_" and not ast.get_docstring(node):
            yield f"{module.place}:{node.lineno}: {node.name} has no docstring"


def faults(root: Path) -> list[str]:
    """Everything that is wrong with the house at `root`."""
    modules = house(root)
    found = [*weight_faults(modules)]
    for module in modules:
        for look in (floor_faults, library_faults, size_faults, docstring_faults):
            found += look(module)
    return found


def test_the_house_stands() -> None:
    modules = house(ROOT)
    assert {module.part for module in modules} == set(RANK), "a floor is empty: the walk misses part of the house"
    assert not faults(ROOT), "\n" + "\n".join(faults(ROOT))


PLANTED = {
    "upward": ("posemb/model/x.py", "from posemb.train.loop import train", "may not import 'train'"),
    "upward, in a function": ("posemb/run/x.py", "def f():\n    import posemb.cli", "may not import 'cli'"),
    "upward, relative": ("posemb/task/x.py", "from ..eval import curve", "may not import 'eval'"),
    "upward, types only": (
        "posemb/ids/x.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import posemb.model.x",
        "may not import 'model'",
    ),
    "the package itself": ("posemb/eval/x.py", "from posemb import load", "may not import ''"),
    "a peer": ("posemb/ids/x.py", "from posemb.position.base import Shape", "may not import 'position'"),
    "a method": ("posemb/model/x.py", "from posemb.position.rope import RoPE", "only its contract"),
    "a method, by its package": ("posemb/model/x.py", "from posemb.position import rope", "only its contract"),
    "text, elsewhere": ("posemb/run/x.py", "from posemb.task.text import Text", "only its contract"),
    "no floor": ("posemb/utils.py", "", "on no floor"),
    "no floor, a folder": ("posemb/tools/x.py", "", "on no floor"),
    "Hydra": ("posemb/run/x.py", "def f():\n    from hydra import compose", "imports hydra.compose"),
    "Rich": ("posemb/report/x.py", "import rich.table", "imports rich.table"),
    "Typer's Click": ("cli/x.py", "import click", "nobody"),
    "TensorBoard": ("posemb/run/x.py", "from torch.utils import tensorboard", "torch.utils.tensorboard"),
    "torch at the door": ("cli/x.py", "import torch", "loads torch"),
    "torch through another": ("cli/x.py", "from posemb.task.base import Task", "posemb/task/base.py"),
    "torch through a package": ("posemb/report/__init__.py", "import scipy.stats", "loads scipy.stats"),
    "a long file": ("posemb/run/x.py", "# line\n" * (FILE_LINES + 1), f"the bound is {FILE_LINES}"),
    "a long model": ("posemb/model/transformer.py", "# line\n" * 121, "the bound is 120"),
    "a long method": (
        "posemb/run/x.py",
        "class A:\n  def f(self):\n" + "    pass\n" * FUNCTION_LINES,
        "f has 46 lines",
    ),
    "a silent class": ("posemb/run/x.py", "class Silent: ...", "Silent has no docstring"),
}


@pytest.mark.parametrize(("place", "code", "word"), PLANTED.values(), ids=PLANTED)
def test_a_planted_fault_is_found(tmp_path: Path, place: str, code: str, word: str) -> None:
    write(tmp_path, "posemb/task/base.py", "import torch")  # allowed, but not for what a light module loads
    assert faults(tmp_path) == []
    write(tmp_path, place, code)
    assert any(word in fault for fault in faults(tmp_path)), faults(tmp_path)


def test_what_is_allowed_passes(tmp_path: Path) -> None:
    write(tmp_path, "posemb/__init__.py", "def load():\n    'Load.'\n    import posemb.run.build")
    write(tmp_path, "posemb/model/x.py", "from posemb.position.base import Positions\nimport torch")
    write(tmp_path, "posemb/eval/text.py", "from posemb.task.text import Text")
    write(tmp_path, "posemb/run/log.py", "from torch.utils.tensorboard import SummaryWriter")
    write(tmp_path, "posemb/run/compose.py", "def _f():\n    from hydra import compose")
    write(tmp_path, "posemb/run/folder.py", "from posemb.errors import PosembError")
    write(
        tmp_path,
        "cli/x.py",
        "import rich\nfrom . import y\nfrom posemb.run.folder import Z\ndef _f():\n    import torch",
    )
    assert faults(tmp_path) == []


def write(root: Path, place: str, code: str) -> None:
    """Add a module to a house in a temporary folder."""
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_text(f'"""Planted."""\n{code}\n', encoding="utf-8")
