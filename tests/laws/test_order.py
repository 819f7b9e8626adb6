"""What a causal mask tells of order, with and without a position method."""

from itertools import permutations

from posemb.laws.order import represent, same
from posemb.laws.subject import Subject
from posemb.position.base import injection_points
from tests.laws.subjects import over_methods

DOG, BITES, MAN = range(3)


@over_methods
def test_with_a_causal_mask_and_two_layers_even_no_method_sees_order(subject: Subject):
    model = subject.model()
    one, other = (represent(model, *words).mean(dim=0) for words in ((DOG, BITES, MAN), (MAN, BITES, DOG)))
    assert not same(one, other)


@over_methods
def test_the_last_token_of_one_causal_layer_sees_order_only_through_a_method(subject: Subject):
    """It attends to a bag of tokens. In a second layer it attends to what each made of the tokens before it."""
    for layers in (1, 2):
        model = subject.model(layers=layers)
        last = [represent(model, *order, 5)[-1] for order in permutations((2, 3, 4))]
        blind = all(same(last[0], other) for other in last[1:])
        assert blind == (layers == 1 and not injection_points(model.position))
