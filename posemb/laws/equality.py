"""What an equality is: two models that must be one."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from posemb.laws.subject import LENGTH, Method, Subject
from posemb.model.transformer import Transformer
from posemb.position.base import PositionMethod


class Pair(NamedTuple):
    """Two models that must be one, on rows of some tokens."""

    what: str
    one: Transformer
    other: Transformer
    length: int = LENGTH


Equality = Callable[[Subject], Iterator[Pair]]


def as_(subject: Subject, cls: type[PositionMethod], **params: Any) -> Transformer:
    """The same backbone under another method."""
    return Subject(Method(cls.__name__, cls, params), subject.scheme, subject.attention).model()


def again(subject: Subject, **params: Any) -> Transformer:
    """The same method with other parameters."""
    method = Method(subject.method.name, subject.method.cls, subject.method.params | params)
    return Subject(method, subject.scheme, subject.attention).model()
