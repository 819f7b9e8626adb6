import pytest

from posemb.errors import UsageError
from posemb.report.answer import answer, question
from tests.report.conftest import not_finite, result, row
from tests.report.groups import THREE, compared, falling, run, text_run


def test_groups_are_summed_up_by_their_medians():
    what = compared(THREE)
    assert (what.title, what.figure, what.by, what.baseline) == ("copy", "exact match", ["position"], "ape")
    assert (what.trained, what.trained_sizes) == ([43], [20])
    assert [group.label for group in what.groups] == ["ape", "rope", "rpe"]
    rope = what.groups[1]
    assert rope.keys == {"position": "rope"} and rope.success == (3, 3)
    assert [(one.size, one.length, one.multiple) for one in rope.rows] == [
        *((10, 23, 0.5), (20, 43, 1.0), (40, 83, 2.0), (80, 163, 4.0))
    ]
    last = rope.rows[-1].estimate
    assert (last.median, last.low, last.high, last.values) == (0.26, 0.25, 0.27, [0.25, 0.26, 0.27])
    # 1, .63, .26 at one doubling each.
    assert rope.area.median == pytest.approx((0.815 + 0.445) / 2)
    assert (rope.l90.median, rope.l50.median, rope.in_distribution.median) == (20, 40, 1.0)


def test_a_horizon_at_a_half_goes_farther():
    [group] = compared([run("ape", seed, {10: 1.0, 20: 0.95, 40: 0.5, 80: 0.4}) for seed in range(2)]).groups
    assert (group.l90.values, group.l50.values) == ([20, 20], [40, 40])


def test_the_order_of_seeds_is_theirs():
    [group] = compared([run("ape", seed, falling(seed / 100)) for seed in (10, 2, 0)]).groups
    assert [one["seed"] for one in group.documents] == [0, 2, 10]
    assert group.rows[-1].estimate.values == [0.0, 0.02, 0.1]


def test_a_difference_from_the_baseline_is_paired_and_corrected():
    ape, rope, rpe = compared(THREE).groups
    assert ape.versus is None
    assert rope.versus and rpe.versus
    assert rope.versus.pairs == 3 and rope.versus.p == 0.25 and rope.versus.least == 0.25
    assert rope.versus.adjusted == rpe.versus.adjusted == 0.5  # two groups, .25 each
    assert rope.versus.difference.values == pytest.approx([0.125] * 3)  # half of the .25 between their ends


def test_a_planted_difference_is_found_with_ten_seeds_and_none_is_not():
    noise = [0.02, -0.01, 0.03, 0.0, -0.02, 0.01, 0.02, -0.03, 0.01, 0.0]
    planted = [("ape", 0.3, 1), ("rope", 0.3, -1), ("rpe", 0.36, 1)]
    what = compared(
        [run(name, seed, falling(end + sign * noise[seed])) for name, end, sign in planted for seed in range(10)]
    )
    _, rope, rpe = what.groups
    assert rope.versus and rpe.versus and rope.versus.adjusted and rpe.versus.adjusted
    assert rpe.versus.adjusted == pytest.approx(2 * 2 / 1024)  # every pair has the sign: the smallest of 10, for two
    assert rope.versus.adjusted > 0.5


def test_only_seeds_that_both_have_are_paired():
    runs = [run("ape", seed, falling(0.0)) for seed in (0, 1, 2)] + [run("rope", seed, falling(0.5)) for seed in (2, 3)]
    what = compared(runs)
    assert what.groups[1].versus and what.groups[1].versus.pairs == 1 and what.groups[1].versus.p == 1
    apart = compared(runs[:2] + runs[4:])
    assert apart.groups[1].versus and apart.groups[1].versus.p is None
    assert "no data seed in common with ape" in " ".join(apart.notes)


def test_runs_of_one_data_seed_are_one_pair():
    runs = [run("ape", seed, falling(0.0)) for seed in (0, 1)]
    other, settings = run("rope", 1, falling(0.4))
    other["seed"] = {"init": 5, "data": 1}
    runs += [run("rope", 1, falling(0.2)), (other, settings | {"seed.init": 5})]
    versus = compared(runs).groups[1].versus
    assert versus and versus.pairs == 1
    assert versus.difference.values == pytest.approx([0.3 / 2])


def test_the_baseline_and_the_measure_can_be_named():
    what = compared(THREE, baseline="rope", measure="l50")
    ape, rope, rpe = what.groups
    assert what.baseline == "rope" and rope.versus is None and ape.versus and rpe.versus
    assert (ape.versus.difference.values, ape.versus.p) == ([0, 0, 0], 1)
    assert (rpe.versus.difference.values, rpe.versus.p) == ([40, 40, 40], 0.25)
    with pytest.raises(UsageError, match=r"--baseline rop: .*Did you mean rope"):
        compared(THREE, baseline="rop")
    with pytest.raises(UsageError, match="--measure speed: expected area, l90, l50 or in_distribution"):
        compared(THREE, measure="speed")


def test_runs_that_did_not_learn_do_not_count_unless_asked():
    runs = [*THREE[:3], run("rope", 0, {10: 1.0, 20: 0.89, 40: 0.2, 80: 0.0}), *THREE[4:6]]
    what = compared(runs)
    rope = what.groups[1]
    assert (rope.learned, rope.success) == ([False, True, True], (2, 3))
    assert rope.area.median == compared(runs[:3] + runs[4:]).groups[1].area.median
    assert len(rope.area.values) == 3
    assert rope.versus and rope.versus.pairs == 2
    assert "90 % or above at every evaluated size" in " ".join(what.notes)
    everyone = compared(runs, include_unlearned=True)
    assert everyone.groups[1].rows[1].estimate.low == 0.89 and everyone.groups[1].counted == [True] * 3
    assert "All count, as you asked" in " ".join(everyone.notes)


def test_a_group_without_a_run_that_learned_is_not_comparable():
    bad = [run("ape", seed, {10: 0.4, 20: 0.3, 40: 0.1, 80: 0.0}) for seed in range(3)]
    what = compared([*bad, *THREE[3:]])
    ape, rope, _ = what.groups
    assert not ape.comparable and ape.area.median is None and ape.rows[0].estimate.median is None
    assert ape.rows[0].estimate.values == [0.4, 0.4, 0.4] and ape.versus is None
    assert what.baseline == "rope" and rope.versus is None
    assert "ape: not comparable" in " ".join(what.notes) and "The baseline is rope" in " ".join(what.notes)
    told = compared([*bad, *THREE[3:]], baseline="ape")
    assert told.baseline is None and all(group.versus is None for group in told.groups)
    assert "ape is not comparable, so nothing is tested" in " ".join(told.notes)


def test_whether_it_was_learned_may_not_be_known():
    what = compared([run("ape", seed, {40: 1.0, 80: 1.0}) for seed in range(2)])
    assert not what.groups[0].comparable and "is not known" in " ".join(what.notes)


def test_what_is_not_completed_is_left_out_and_said():
    runs = [*THREE[:2], run("ape", 2, {}, state="running"), run("rope", 0, {}, state="diverged")]
    what = compared(runs)
    assert [group.label for group in what.groups] == ["ape"] and what.groups[0].success == (2, 2)
    assert "2 runs are left out, not completed: 1 running, 1 diverged." in what.notes
    assert "No run of rope is completed." in what.notes
    nothing = compared([run("ape", 0, {}, state="failed")])
    assert nothing.groups == [] and "1 run is left out, not completed: 1 failed." in nothing.notes
    with pytest.raises(UsageError, match="no runs to compare"):
        compared([])


def test_a_seed_counts_once():
    again = run("ape", 0, falling(0.9))
    again[0]["run"] += "-2"
    what = compared([*THREE[:3], again])
    assert len(what.groups[0].documents) == 3
    assert "s0-1234abcd-2 repeats a seed of its group" in " ".join(what.notes)
    finished = [{"finished": "2026-01-02"}, {}, {}, {"finished": "2026-01-01"}]
    for one in finished[1:3]:
        one["finished"] = "2026-01-03"
    first = compared([*THREE[:3], again], manifests=finished)
    assert first.groups[0].documents[0]["run"].endswith("-2")


def test_one_model_that_was_evaluated_twice_is_one_seed():
    other = run("ape", 0, falling(0.0), **{"eval.sizes": [10, 20, 40, 80]})
    with pytest.raises(UsageError, match=r"eval.sizes: null and \[10,20,40,80\] within ape"):
        compared([*THREE[:3], other])
    assert len(compared([*THREE[:3], other], allow=["eval.sizes"]).groups[0].documents) == 3


def test_what_differs_unasked_is_named_and_refused():
    wide = [run("rope", seed, falling(0.4), **{"model.width": 128}) for seed in range(3)]
    with pytest.raises(UsageError) as refusal:
        compared([*THREE[:3], *wide])
    said = str(refusal.value)
    assert "model.width: 64 in ape, 128 in rope" in said
    assert "--group-by position,model.width" in said and "--allow model.width" in said and "model.width=" in said
    assert len(said.splitlines()) <= 8
    with pytest.raises(UsageError, match=r"model.width: 64 and 128 within rope"):
        compared([*THREE[3:6], *wide])
    allowed = compared([*THREE[:3], *wide], allow=["model.width"])
    assert allowed.allowed == ["model.width"]
    assert "model.width differs and was let through: 64 in ape, 128 in rope." in allowed.notes


def test_a_refusal_stays_short_however_much_differs():
    other = run("rope", 0, falling(0.4), **{f"train.key{n}": n for n in range(30)})
    with pytest.raises(UsageError, match="and 27 more") as refusal:
        compared([*THREE[:1], other])
    assert len(str(refusal.value).splitlines()) <= 8


def test_what_comes_with_an_option_is_no_difference_of_its_own():
    assert compared([*THREE[:3], *THREE[3:6]]).allowed == []  # position.base, which ape has not
    fast = run("rope", 4, falling(0.4), **{"position.base": 500.0})
    with pytest.raises(UsageError, match=r"position.base: 10000 and 500 within rope"):
        compared([*THREE[3:6], fast])
    apart = compared([*THREE[3:6], fast], by=["position.base"])
    assert [group.label for group in apart.groups] == ["base=500", "base=10000"]


def test_other_tasks_and_text_are_refused():
    with pytest.raises(UsageError, match=r"task: copy in ape, last in rope(.|\n)*add: task="):
        compared([*THREE[:3], run("rope", 0, falling(0.1), task="last")])
    with pytest.raises(UsageError, match="bits per character"):
        compared([*THREE[:1], text_run("ape", 0, 1.0)], by=["task"], allow=["model.width", "train.size", "eval.sizes"])


def test_groups_by_other_keys():
    widths = [run("rope", seed, falling(0.1), **{"model.width": width}) for width in (128, 64, 1024) for seed in (0, 1)]
    what = compared(widths, by=["model.width"])
    assert [group.label for group in what.groups] == ["width=64", "width=128", "width=1024"]
    both = compared([*widths, *THREE[:2]], by=["position", "model.width"])
    assert [group.label for group in both.groups][:2] == ["rope width=64", "rope width=128"]
    assert both.groups[-1].keys == {"position": "ape", "model.width": 64}
    ids = [THREE[0], run("ape", 0, falling(0.2), ids="randomized")]
    assert [group.label for group in compared(ids).groups] == ["ape", "ape+randomized"]
    near = [run("ape", seed, falling(0.2), **{"train.lr": 0.001 + seed * 1e-9}) for seed in range(2)]
    with pytest.raises(UsageError, match=r"train.lr: 0.001 and 0.001000001"):
        compared(near)
    for key, hint in (("widht", "Did you mean model.width"), ("seed", "the seeds are what"), ("seed.data", "seeds")):
        with pytest.raises(UsageError, match=hint):
            compared(widths, by=[key])
    with pytest.raises(UsageError, match=r"--allow modle.width.*Did you mean model.width"):
        compared(widths, by=["model.width"], allow=["modle.width"])


def test_only_common_sizes_are_compared():
    fewer = [run("rope", seed, {20: 1.0, 40: 0.5}, **{"eval.sizes": [20, 40]}) for seed in range(2)]
    what = compared([*THREE[:2], *fewer], allow=["eval.sizes"])
    assert [[one.size for one in group.rows] for group in what.groups] == [[20, 40], [20, 40]]
    assert what.groups[0].area.median == pytest.approx((0.75 + 0.7525) / 2)  # to twice the trained size
    assert "different sizes" in " ".join(what.notes)
    with pytest.raises(UsageError, match="no size at which all"):
        compared([THREE[0], run("rope", 0, {25: 1.0}, **{"eval.sizes": [25]})], allow=["eval.sizes"])


def test_groups_of_different_trained_sizes_go_as_far_as_all_reach():
    small = run("ape", 0, {5: 1.0, 10: 1.0, 20: 0.5}, trained_size=10, trained_length=23, **{"train.size": 10})
    what = compared([small, THREE[0]], by=["train.size"])
    assert [group.label for group in what.groups] == ["size=10", "size=20"]
    assert [group.area.values for group in what.groups] == [[pytest.approx(0.75)], [pytest.approx(0.75)]]
    assert (what.trained, what.trained_sizes) == ([23, 43], [10, 20])
    assert "The trained sizes differ; the area goes to 2 times each." in what.notes


def test_the_same_curve_in_multiples_of_the_trained_size_has_the_same_area():
    """1 - log10 of the multiple, a straight line over log size: from 1 to 5 times L its mean is (1 + .301) / 2."""
    sizes, lines = (10, 20, 30, 100), {10: [1.0, 0.69897, 0.522879, 0.0], 20: [1.0, 1.0, 0.823909, 0.30103]}
    runs = [
        run("ape", 0, dict(zip(sizes, line, strict=True)), trained_size=size, **{"train.size": size})
        for size, line in lines.items()
    ]
    what = compared(runs, by=["train.size"])
    assert what.reach == (1, 5)
    assert [group.area.values for group in what.groups] == [[pytest.approx(0.650515)]] * 2
    assert "the area goes to 5 times each, on a straight line where that is no evaluated size." in " ".join(what.notes)


def test_an_area_that_cannot_begin_at_the_trained_size_says_where_it_does():
    between = compared([run("ape", 0, {10: 1.0, 40: 0.5})])
    assert between.groups[0].area.values == [pytest.approx((0.75 + 0.5) / 2)]
    assert "The trained size was not evaluated" in " ".join(between.notes)
    # One group begins at 1, the other at 1.5 times L: both are measured from there.
    runs = [run("ape", 0, {10: 1.0, 20: 0.6, 40: 0.6}, trained_size=10, **{"train.size": 10})]
    runs += [run("ape", 1, {30: 1.0, 60: 0.0})]
    what = compared(runs, by=["train.size"])
    assert what.reach == (1.5, 3)
    assert "the area goes from 1.5 to 3 times each" in " ".join(what.notes)
    assert what.groups[1].area.values == [pytest.approx(0.5)]


def test_trained_sizes_that_differ_within_a_group_are_refused():
    runs = [
        run("ape", seed, falling(0.1), trained_size=size, **{"train.size": size}) for seed, size in enumerate((10, 20))
    ]
    with pytest.raises(UsageError, match=r"train.size: 10 and 20 within ape.(.|\n)*--group-by position,train.size"):
        compared(runs, allow=["train.size"])


def test_sizes_without_figures_count_nothing_and_it_is_said():
    what = compared([run("ape", seed, {10: 1.0, 20: 1.0, 40: None, 80: None}) for seed in range(2)])
    [group] = what.groups
    assert (group.rows[-1].status, group.rows[-1].estimate.median) == ("cannot represent", None)
    assert group.area.median == pytest.approx(0.25)
    assert "ape: sizes that cannot be represented count 0 in the area" in " ".join(what.notes)
    # Where one seed of two breaks down, its answers are wrong, not gone.
    mixed = [run("ape", 0, {20: 1.0, 40: 0.5}), run("ape", 1, {20: 1.0, 40: 0.5})]
    mixed[1][0]["curve"][1] = not_finite(mixed[1][0]["curve"][1])
    last = compared(mixed).groups[0].rows[-1]
    assert (last.status, last.estimate.median, last.estimate.values) == ("not finite", 0.25, [0.5, None])


def test_what_differs_around_the_runs_is_a_note():
    runs = [*THREE[:2], run("rope", 0, falling(0.1), threads=4, device="cuda")]
    manifests = [{"versions": {"torch": version}, "git": None} for version in ("2.8", "2.8", "2.9")]
    notes = compared(runs, manifests=manifests).notes
    assert "torch differs between runs: 2.8 in 2 and 2.9 in 1." in notes
    assert "device differs between runs: cpu in 2 and cuda in 1." in notes
    assert "threads differs between runs: 1 in 2 and 4 in 1." in notes
    assert not any("python" in note for note in notes)


def test_another_text_is_another_experiment():
    runs = [text_run(name, 0, 1.0) for name in ("ape", "rope")]
    assert compared(runs, manifests=[{"corpus": "a"}, {"corpus": "a"}]).groups
    with pytest.raises(UsageError, match="corpus: a in ape, b in rope"):
        compared(runs, manifests=[{"corpus": "a"}, {"corpus": "b"}])


def test_text_has_bits_and_no_right_answers():
    what = compared([text_run(name, seed, bits) for name, bits in (("alibi", 0.1), ("rope", 1.0)) for seed in range(2)])
    alibi, rope = what.groups
    assert what.figure == "bits per character" and alibi.success == (2, 2)
    assert (alibi.l90.median, alibi.in_distribution.median, rope.area.median) == (None, None, pytest.approx(3.0))
    assert [(one.size, one.mode) for one in rope.rows][:2] == [(64, "blocked"), (64, "sliding")]
    assert rope.versus and rope.versus.difference.values == pytest.approx([0.9, 0.9])
    assert compared([text_run("ape", 0, None)]).groups[0].area.median is None
    with pytest.raises(UsageError, match="--measure l90: nothing is asked in a text"):
        compared([text_run("ape", 0, 1.0)], measure="l90")


def test_too_few_seeds_are_said_where_others_have_enough():
    runs = [run(name, seed, falling(end)) for name, end in (("ape", 0.0), ("rope", 0.4)) for seed in range(8)]
    what = compared([*runs, *(run("rpe", seed, falling(0.6)) for seed in range(3))])
    assert "rpe: 3 pairs of seeds with ape, so p cannot fall below 0.25" in " ".join(what.notes)
    assert not any(note.startswith("rope:") for note in what.notes)
    single = compared([run("ape", 0, falling(0.1))])
    assert "ape: one seed counts, so there is no interval" in " ".join(single.notes)


def test_a_run_without_a_curve_is_not_compared():
    document, settings = THREE[0]
    what = compared([*THREE[1:3], (result("ape", [], run="runs/copy/ape/s0"), settings)])
    assert len(what.groups[0].documents) == 2 and "1 without a curve" in what.notes[0]
    assert document["curve"][0] == row(10, 1.0)  # comparing changes nothing that it is given


def test_a_horizon_over_seeds_is_an_evaluated_size():
    runs = [run("rope", seed, {20: 1.0, 30: 1.0, 60: end, 90: 0.0}) for seed, end in enumerate((1.0, 0.5))]
    [group] = compared(runs).groups
    assert (group.l90.values, group.l90.median, group.l90.low, group.l90.high) == ([60, 30], 30, 30, 60)


def test_the_first_group_is_the_first_that_was_planned():
    failed = run("ape", 0, {}, state="failed")
    runs = [failed, *THREE[3:], *THREE[1:3]]  # ape's first job failed, the others ended later
    what = compared(runs)
    assert [group.label for group in what.groups] == ["ape", "rope", "rpe"] and what.baseline == "ape"
    planned = compared(THREE, order={"position": ["rpe", "ape", "rope"]})
    assert [group.label for group in planned.groups] == ["rpe", "ape", "rope"] and planned.baseline == "rpe"


def test_a_refusal_can_be_pasted():
    more = {"eval.sizes": [10, 20, 40, 80], "model.width": 128}
    with pytest.raises(UsageError) as refusal:
        compared([*THREE[:3], *(run("rope", seed, falling(0.4), **more) for seed in range(4))])
    said = str(refusal.value)
    assert "--group-by position,model.width,eval.sizes" in said
    assert "To keep to one value, add: model.width=128 'eval.sizes=[10,20,40,80]'" in said


SHORT = {"task": "last", "trained_size": 16, "trained_length": 19, "train.size": 16, "train.steps": 700}


def test_what_a_task_sets_comes_with_the_task():
    last = [run("ape", seed, {8: 1.0, 16: 1.0, 32: 0.5, 64: 0.0}, **SHORT) for seed in range(3)]
    copy = [run("ape", seed, falling(0.0), **{"train.steps": 1500}) for seed in range(3)]
    what = compared([*copy, *last], by=["task"])
    assert [group.label for group in what.groups] == ["task=copy", "task=last"]
    assert "train.size follows the task: 20 for copy, 16 for last." in what.notes
    assert "train.steps follows the task: 1500 for copy, 700 for last." in what.notes
    assert [group.area.median for group in what.groups] == [pytest.approx(0.5)] * 2  # by multiples of L
    versus = what.groups[1].versus
    assert versus and (versus.pairs, versus.why) == (0, "another task than that of task=copy")
    assert question(what) == "What happens on copy and last past the length each was trained on?"
    assert not any("farthest" in paragraph for paragraph in answer(what))
    odd = run("ape", 3, falling(0.0), **{"train.steps": 3000})
    with pytest.raises(UsageError, match=r"train.steps: 1500 and 3000 within task=copy"):
        compared([*copy, *last, odd], by=["task"])


def test_the_seeds_to_train_are_those_that_others_have():
    runs = [run("ape", 5, falling(0.0)), *(run("rope", seed, falling(0.2)) for seed in (5, 7, 9))]
    assert "ape: one seed counts, so there is no interval. Train seed=7 and seed=9 as well." in compared(runs).notes
    assert "Train seed=1 and seed=2 as well" in " ".join(compared([run("ape", 0, falling(0.0))]).notes)
