"""No position at all."""

from typing import final

from posemb.position.base import PositionMethod


@final
class NoPE(PositionMethod):
    """No position method: only the causal mask tells one place from another.

    Formula:
        A_ij = q_i·k_j / √Dh

    Past the trained length:
        Nothing changes in form; what drifts is how thinly attention spreads over more tokens. Without causality the
        model is permutation-equivariant: order is invisible to it.

    Source:
        Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still Learn Positional
        Information", arXiv:2203.16634; Kazemnejad et al. 2023, "The Impact of Positional Encoding on Length
        Generalization in Transformers", arXiv:2305.19466.
    """
