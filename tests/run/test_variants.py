from posemb.run.variants import Form, Wanted, at, forms, spread

CONFIG = {"position": {"_target_": "posemb.position.rope.RoPE"}, "choice": {"position": "rope"}}


def test_forms_that_would_be_the_same_are_one() -> None:
    wanted = Wanted(scalings=["pi", "none", "dynamic_ntk", "pi"], factors=[2.0, 4.0])
    assert forms(CONFIG, wanted) == [Form("none"), Form("pi", 2.0), Form("pi", 4.0), Form("dynamic_ntk")]


def test_fine_tuning_has_a_form_for_each_length_that_it_aims_at() -> None:
    tuned = [form for form in forms(CONFIG, Wanted(["dynamic_ntk"], [2.0, 4.0], tune=9)) if form.tuned]
    plain = [Form("none", 2.0, 9), Form("none", 4.0, 9)]  # asked for or not: the steps alone
    assert tuned == [*plain, Form("dynamic_ntk", 2.0, 9), Form("dynamic_ntk", 4.0, 9)]
    assert tuned[2].label == "dynamic_ntk, s = 2, tuned"


def test_sizes_reach_as_far_as_the_largest_factor() -> None:
    assert spread(20, [2.0, 4.0]) == [5, 10, 15, 20, 21, 22, 24, 28, 32, 40, 48, 60, 80]
    assert spread(1, [1.0]) == [1]
    assert at(20, 1.15) == 23 and at(20, 1.12) == 22
