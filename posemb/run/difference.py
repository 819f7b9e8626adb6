"""What differs between two runs that should be one: in their curves, in their weights, in how they were computed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

Row = Mapping[str, Any]
Rows = Sequence[Row]

ABSENT = "absent"  # what a key is that a row does not have; null is a value


def curve_difference(before: Rows, now: Rows) -> list[str]:
    """Where the second curve leaves the first one, and by how much at most; nothing where all rows are equal."""
    if list(before) == list(now):
        return []
    pairs = list(zip(before, now, strict=False))
    first = next(((then, again) for then, again in pairs if then != again), None)
    told = []
    if first is not None:
        then, again = first
        key = next(key for key in (*then, *again) if then.get(key, ABSENT) != again.get(key, ABSENT))
        told.append(f"curve: first at size {then['size']}{_mode(then)}, where {_changed(key, then, again)}")
    if gaps := list(_gaps(pairs)):
        gap, key, row = max(gaps, key=lambda one: one[0])
        told.append(f"curve: farthest apart in {key} at size {row['size']}{_mode(row)}, by {gap:.3g}")
    if len(before) != len(now):
        told.append(f"curve: {len(now)} rows, was {len(before)}")
    return told


def _gaps(pairs: Sequence[tuple[Row, Row]]) -> Iterator[tuple[float, str, Row]]:
    for then, again in pairs:
        for key, value in then.items():
            other = again.get(key)
            if isinstance(value, int | float) and isinstance(other, int | float) and value != other:
                yield abs(value - other), key, then


def _mode(row: Row) -> str:
    return f", {row['mode']}" if "mode" in row else ""


def weights_difference(before: "Mapping[str, Tensor]", now: "Mapping[str, Tensor]") -> list[str]:
    """Which tensors are not the same bits, and the largest difference; nothing where all are."""
    alone = sorted(before.keys() ^ now.keys())
    told = [f"weights: {name} is only in the {'first' if name in before else 'second'} run" for name in alone]
    both = [name for name in before if name in now]
    shapes = [name for name in both if _form(before[name]) != _form(now[name])]
    told += [f"weights: {name} is {_form(now[name])}, was {_form(before[name])}" for name in shapes]
    others = [name for name in both if name not in shapes and not _same_bits(before[name], now[name])]
    if others:
        name, gap = max(((name, _gap(before[name], now[name])) for name in others), key=lambda one: one[1])
        told.append(f"weights: {len(others)} of {len(both)} tensors; farthest apart in {name}, by {gap:.3g}")
    return told


def _form(tensor: "Tensor") -> str:
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"


def _same_bits(one: "Tensor", other: "Tensor") -> bool:
    import torch

    # As bytes: to `equal`, zero and minus zero are the same, and a NaN is not what it is.
    return torch.equal(*(tensor.contiguous().reshape(-1).view(torch.uint8) for tensor in (one, other)))


def _gap(one: "Tensor", other: "Tensor") -> float:
    return float((one.double() - other.double()).abs().nan_to_num(nan=float("inf")).max())


def circumstances(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What two manifests say differently about how their runs were computed; and what no run can repeat, a line each.

    What an older posemb did not record is passed over.
    """
    then, again = dict(_facts(before)), dict(_facts(now))
    told = [
        _changed(key, then, again)
        for key, value in then.items()
        if value is not None and again.get(key) is not None and again[key] != value
    ]
    dirty = [when for when, one in (("then", before), ("now", now)) if (one.get("git") or {}).get("dirty")]
    if dirty:
        told.append(f"uncommitted code: {' and '.join(dirty)}")
    return [*told, *_resumed(before)]


def _resumed(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What changed between the processes of a run that was resumed."""
    pieces = [dict(_facts(manifest | process)) for process in manifest.get("processes") or []]
    for key in pieces[0] if pieces else ():
        values = [str(piece[key]) for piece in pieces]
        if len(set(values)) > 1:
            yield f"the run was resumed: {key} was {', then '.join(values)}"


def _facts(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from (manifest.get("versions") or {}).items()
    yield from ((key, manifest.get(key)) for key in ("device", "threads", "cpu", "platform"))
    yield "commit", (manifest.get("git") or {}).get("commit")


def _changed(key: str, then: Mapping[str, Any], again: Mapping[str, Any]) -> str:
    return f"{key} is {again.get(key, ABSENT)}, was {then.get(key, ABSENT)}"
