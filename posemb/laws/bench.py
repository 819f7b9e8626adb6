"""Holding every law against every subject."""

from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from functools import cache, partial
from inspect import getfile
from io import StringIO
from itertools import product
from os import sep
from pathlib import Path
from traceback import extract_tb

from posemb.errors import UsageError
from posemb.laws.bias import bias
from posemb.laws.causality import causality
from posemb.laws.contract import contract
from posemb.laws.decoding import decoding
from posemb.laws.equalities import equalities
from posemb.laws.examples import examples
from posemb.laws.gradients import gradients
from posemb.laws.horizon import horizon
from posemb.laws.law import Exempt, Law
from posemb.laws.lengths import lengths
from posemb.laws.order import order
from posemb.laws.precision import precision
from posemb.laws.reach import reach
from posemb.laws.record import Record
from posemb.laws.rows import rows
from posemb.laws.shift import shift
from posemb.laws.subject import SIZES, Method, Subject
from posemb.laws.subjects import Place, places, schemes, variants
from posemb.laws.values import values
from posemb.run.build import building
from posemb.run.catalog import option
from posemb.run.check import check
from posemb.run.compose import compose
from posemb.run.opening import first_line
from posemb.run.target import called

# In the order of the table.
LAWS: tuple[Law, ...] = (
    examples,
    equalities,
    decoding,
    causality,
    horizon,
    lengths,
    rows,
    values,
    bias,
    gradients,
    precision,
    order,
    shift,
    reach,
    contract,
)


def examine(name: str, number: int, laws: Sequence[str], config_dir: Path | None = None) -> list[Record]:
    """One variant of an option under every id scheme and mask.

    Args:
        name: the position option.
        number: the variant's among `methods`.
        laws: the names of the laws to hold it against.
        config_dir: a folder of the user's own options.
    """
    method = methods(name, config_dir)[number]
    every = product(places(name, method, schemes(config_dir)), LAWS)
    return [judge(law, place) for place, law in every if law.name in laws and law.asks(place)]


def hold(
    names: Sequence[str], laws: Sequence[str], config_dir: Path | None = None, jobs: int = 1
) -> Iterator[list[Record]]:
    """Examine every variant of these options, `jobs` at a time, each in a process with one thread.

    Yields:
        The records of one variant, as it is done.
    """
    asked = [(name, number) for name in names for number in range(len(methods(name, config_dir)))]
    if jobs == 1 or len(asked) == 1:
        for name, number in asked:
            yield examine(name, number, laws, config_dir)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config("loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=min(jobs, len(asked)), return_as="generator_unordered", batch_size=1)
        yield from parallel(delayed(examine)(name, number, laws, config_dir) for name, number in asked)


@cache
def methods(name: str, config_dir: Path | None = None) -> list[Method]:
    """The variants of an option.

    Raises:
        UsageError: the option is wrong, as a training would find it, or cannot be built at any size that the laws have.
    """
    with redirect_stdout(StringIO()):  # a module of the user's own is imported here
        config = check(compose([f"position={name}"], config_dir), config_dir)
        found = list(variants(option("position", name, config_dir), config_dir))
    try:
        with building(called(config, "position")):
            found[0].fit()
    except UsageError as refusal:
        sizes = ", ".join(f"{width} wide with {heads} heads" for width, heads in SIZES)
        raise UsageError(f"{refusal}\nThe laws tried models that are {sizes}.") from refusal
    return found


def judge(law: Law, place: Place) -> Record:
    """A law held against a subject. Whatever goes wrong inside a method is a fault of it."""
    method, subject = place.subject.method, place.subject
    told = partial(Record, place.option, method.name, place.ids, subject.attention, law.name)
    try:
        _refuse(subject)
        finding = law.of(subject)
    except Exempt as exempt:
        return told("exempt", reason=str(exempt))
    except (Exception, SystemExit) as error:
        return told("fail", reason=_printable(f"{type(error).__name__}: {first_line(error)}{_where(error, method)}"))
    bound = finding.bound if finding.error is not None else None
    return told("fail" if finding.fault else "pass", finding.error, bound, finding.moves, _printable(finding.fault))


def _refuse(subject: Subject) -> None:
    """See to it that there is such a model.

    Raises:
        Exempt: there is none: a choice does not go with the others, or the mask not with the method.
    """
    try:
        method = subject.position
    except UsageError as refusal:
        raise Exempt(f"{subject.method.name} cannot be built: {first_line(refusal)}") from refusal
    if subject.attention == "prefix" and method.causal_only:
        raise Exempt("defined for causal attention only")


def _where(error: BaseException, method: Method) -> str:
    """Where an error comes from: the last line of the method's file, or of one that is not posemb's or torch's."""
    own = getfile(method.cls)
    for frame in reversed(extract_tb(error.__traceback__)):
        if frame.filename == own or not any(f"{sep}{name}{sep}" in frame.filename for name in ("posemb", "torch")):
            return f", in {frame.name} ({Path(frame.filename).name}:{frame.lineno})"
    return ""


def _printable(text: str) -> str:
    """A message without what would steer a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
