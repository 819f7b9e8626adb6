import re

from posemb.report.heat import heat_map

LINES = {"plain": {5: 1.0, 10: 0.9, 20: 0.29, 40: 0.0}, "pi, s = 2": {5: 0.6, 10: 0.89, 20: None, 40: 0.1}}


def test_shades_and_the_bar_after_the_trained_size() -> None:
    assert heat_map(LINES, 10, width=110).splitlines() == [
        "size         5 10│ 20 40",
        "plain      ██████│░░░···",
        "pi, s = 2  ▓▓▓▓▓▓│×××░░░",
        "  ·· below 10 %   ░░ 10 %   ▒▒ 30 %   ▓▓ 60 %   ██ 90 % and above   ×× no figure   │ trained up to 10",
    ]


def test_ascii_where_the_encoding_has_no_blocks() -> None:
    drawn = heat_map(LINES, 10, encoding="ascii")
    assert drawn.isascii()
    assert drawn.splitlines()[1:3] == ["plain      ######|:::...", "pi, s = 2  ******|!!!:::"]


def test_colour_says_the_same_as_the_shade() -> None:
    drawn = heat_map(LINES, 10, colour=True)
    assert "\x1b[38;5;220m███\x1b[0m" in drawn and "\x1b[38;5;55m···\x1b[0m" in drawn
    assert "\x1b" not in heat_map(LINES, 10)


def test_a_narrow_terminal_loses_the_densest_sizes_first() -> None:
    line = {"a": dict.fromkeys([5, 10, 11, 12, 20, 40], 1.0)}
    drawn = heat_map(line, 10, keep=[20, 40], width=4 + 3 + 4 * 3)
    assert drawn.splitlines()[0].split() == ["size", "5", "10│", "20", "40"]


def test_sizes_past_the_trained_one_alone() -> None:
    assert "│" not in heat_map({"a": {20: 1.0, 40: 1.0}}, 10).splitlines()[1]


def test_the_legend_takes_as_many_lines_as_it_needs() -> None:
    for colour in (False, True):
        drawn = re.sub("\x1b[^m]*m", "", heat_map(LINES, 10, width=44, colour=colour)).splitlines()
        assert max(map(len, drawn)) <= 44
        assert drawn[3:] == [
            "  ·· below 10 %   ░░ 10 %   ▒▒ 30 %",
            "  ▓▓ 60 %   ██ 90 % and above   ×× no figure",
            "  │ trained up to 10",
        ]


def test_a_narrow_terminal_hears_which_sizes_are_left_out() -> None:
    line = {"a": dict.fromkeys([5, 10, 11, 12, 20, 40], 1.0)}
    drawn = heat_map(line, 10, keep=[20, 40], width=19)
    assert " ".join(drawn.split()).endswith("No room was left for sizes 11, 12.")
    assert "No room" not in heat_map(line, 10)
