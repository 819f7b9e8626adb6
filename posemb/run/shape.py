"""What a position method is told when it is built: the model, and what training will show."""

from collections.abc import Iterable

from posemb.ids.base import IdScheme
from posemb.layout import Layout
from posemb.model.backbone import Backbone
from posemb.position.base import Positions, Shape


def shape_of(backbone: Backbone, ids: IdScheme, layouts: Iterable[Layout], asked: int) -> Shape:
    """The shape of a model that is trained on rows of these layouts.

    Args:
        backbone: width, heads, layers and mask.
        ids: the id scheme.
        layouts: those of the shortest and of the longest training rows. Ids that count reach farthest in a long row,
            ids that are drawn from a range in a short one.
        asked: every id of the evaluation is below it.
    """
    tokens, least, greatest = 0, 0, 0
    for layout in layouts:
        rows = ids.extremes(layout)
        fed = Positions.span(rows, 0, layout.length, backbone.attention == "causal", layout.prompt).fed
        tokens, least, greatest = max(tokens, layout.length), min(least, fed.least), max(greatest, fed.greatest)
    return Shape(
        width=backbone.width,
        heads=backbone.heads,
        layers=backbone.layers,
        trained=ids.id_limit if ids.spreads else tokens,
        id_limit=ids.id_limit,
        asked=asked,
        tokens=tokens,
        spreads=ids.spreads,
        least=least,
        greatest=greatest,
    )
