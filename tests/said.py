"""What a command came to, as tests look at it."""

import json
from typing import Any, NamedTuple


class Said(NamedTuple):
    """Its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)
