"""The frequencies of a rotary method, and the scaling laid over them."""

from dataclasses import dataclass

from posemb.errors import UsageError
from posemb.position.angle import frequencies
from posemb.position.base import Positions, Shape
from posemb.position.scaling import SCALINGS, Scaled, Scaling, ntk


@dataclass(frozen=True)
class Ladder:
    """The frequencies of a rotary method, θ_k = base^(−2k/Dr), and the scaling laid over them.

    Attributes:
        base: the slowest pair turns once in nearly 2π·base ids.
        dims: Dr, the dimensions that turn.
        shape: what the model is; L is its trained length.
        scaling: which function slows the ladder down.
        factor: the target is this many times L. `dynamic_ntk` aims at the row's final length instead, which does not
            change while the row is decoded; with ids that spread it is `none`, for no row has ids beyond L.

    Raises:
        UsageError: Dr is odd or below 2, or too small for the scaling.
    """

    base: float
    dims: int
    shape: Shape
    scaling: Scaling
    factor: float

    def __post_init__(self) -> None:
        if self.dims < 2 or self.dims % 2:
            raise UsageError(
                f"Dr, the number of dimensions of a head that turn, must be even and not 0: it is {self.dims}.\n"
                "It follows from the head's width, model.width / model.heads, and from how much of it turns."
            )
        if SCALINGS[self.scaling] is ntk and self.dims == 2:
            raise UsageError(
                f"position.scaling={self.scaling} spreads from the fastest pair to the slowest, and Dr = 2 dimensions\n"
                "are one pair: take another scaling, or wider heads (model.width / model.heads)."
            )

    def scaled(self, at: Positions) -> Scaled:
        """The ladder of a pass, and its temperature."""
        theta = frequencies(self.base, self.dims, at.k.device)
        name: Scaling = "none" if self.scaling == "dynamic_ntk" and self.shape.spreads else self.scaling
        target = at.horizon if name == "dynamic_ntk" else self.factor * self.shape.trained
        return SCALINGS[name](theta, self.shape.trained, target)
