"""Worked values: the examples in the docstrings of a method's file and of the files that it is made of."""

import doctest
import inspect
import io
import re
import sys
from collections.abc import Iterator
from types import ModuleType

from posemb.laws.law import Exempt, Finding, law_of_a_method
from posemb.laws.subject import Subject

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?")


@law_of_a_method
def examples(subject: Subject, found: Finding) -> None:
    """Worked values come out as the docstrings give them, to the last digit.

    Those of a method's own file, and of the files that it takes functions from.
    """
    ran = 0
    for module in files_of(sys.modules[subject.method.cls.__module__]):
        for test in doctest.DocTestFinder(exclude_empty=True).find(module):
            said = io.StringIO()
            checker = Numbers(found)
            result = doctest.DocTestRunner(checker, verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE).run(
                test, out=said.write, clear_globs=True
            )
            ran += result.attempted
            if result.failed:
                found.holds(False, f"{test.name}: {_first(said.getvalue())}")
    if not ran:
        raise Exempt("its file works no value out")


class Numbers(doctest.OutputChecker):
    """Numbers agree where they do so to the last digit that the docstring gives; everything else letter by letter."""

    def __init__(self, found: Finding) -> None:
        self.found = found

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Whether an example printed what it should."""
        wanted, printed = NUMBER.findall(want), NUMBER.findall(got)
        words = (" ".join(NUMBER.sub("#", text).split()) for text in (want, got))
        if len(wanted) != len(printed) or len(set(words)) != 1:
            return False
        errors = [(abs(float(one) - float(other)), _unit(one)) for one, other in zip(wanted, printed, strict=True)]
        if any(error > unit for error, unit in errors):
            return False  # the runner says which
        for error, unit in errors:
            self.found.at_most(error, unit, "a worked value")
        return True


def _unit(number: str) -> float:
    """Half of the last digit that is given; a hair for whole numbers."""
    mantissa, _, exponent = number.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.501 * 10.0 ** (int(exponent or 0) - decimals) if "." in mantissa else 1e-12


def files_of(module: ModuleType, seen: frozenset[str] = frozenset()) -> Iterator[ModuleType]:
    """A method's module, and what it takes functions or classes of its own package or of posemb.position from."""
    yield module
    packages = {module.__name__.rpartition(".")[0] or module.__name__, "posemb.position"}
    taken = [value for value in vars(module).values() if inspect.isfunction(value) or inspect.isclass(value)]
    names = {str(value.__module__) for value in taken}
    for name in sorted(names - {module.__name__} - seen):
        if name.rpartition(".")[0] in packages:
            yield from files_of(sys.modules[name], seen | names | {module.__name__})


def _first(report: str) -> str:
    """The first that failed: the example, what it should have printed and what it did, in a line."""
    first = report.split("*" * 70)[1]
    said, raised, traceback = first.partition("Exception raised:")
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("File")]
    error = [traceback.strip().splitlines()[-1].strip()] if raised else []
    return " ".join([*(line.removeprefix("Failed example:") for line in lines), *error]).strip()[:300]
