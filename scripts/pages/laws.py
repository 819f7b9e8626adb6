"""docs/laws.md: what every method must keep, and how `posemb check` says so."""

from posemb.laws.bench import LAWS
from posemb.laws.precision import ASKED, BOUND
from posemb.laws.subject import FARTHEST, LENGTH, LONG, SIZES, TRAINED

PAGE = """# Laws

What holds of every position method, on the machine in front of you:

```console
$ posemb check
$ posemb check rope
$ posemb check rope --law decoding
```

All methods take about a minute on two cores. A method of your own is checked like ours, with the folder that
names it: `posemb check mine --config-dir my_configs`. The exit code is 1 where a law is broken; `--json` prints
every finding. The tests run the same code ([posemb/laws](../posemb/laws)).

| law | what it says |
|---|---|
{table}

## How to read the table

Each method is built in every variant, its own choices changed one at a time, and put under every id scheme,
with a causal mask and with a prompt that sees itself, on a model of random weights: {WIDTH} wide, {HEADS}
heads, trained length {TRAINED}, rows of {LENGTH} and {LONG} tokens. `unordered` is an id scheme that only the
laws have: ids that repeat and run backwards, as the contract allows. Where a method refuses that size, wider
models are tried.

A number is the worst error that was found, by how much of its bound it takes; 0 is *to the last bit*. `ok`
stands where there is nothing to measure, `-` where a law does not apply (why is said below the table), `FAIL`
where at least one case breaks it (the worst of them is shown). `moves` is the largest change of any output of a
method that knows where it is, when all ids move. Of one method there is a column for each id scheme; a cell is
blank where one scheme says all, and *allowed* is the bound of the worst error in the line.

## Worked values

`examples` runs what stands behind `>>>` in the docstrings of a method's file, and of the files that it takes
functions from. Numbers must agree as far as the docstring gives them: half a unit of the last digit. A method
of your own states its values in the same way.

## Half precision

Angles, distances and counts are never coarser than float32, whatever the model is cast to. Held against
float32, the output in bfloat16 and under autocast differs by less than {share:g} % of its length (the norm of
the difference over the norm): whole models at ids near 600, and one causal attention of the last {ASKED} of
{FARTHEST:,} tokens from vectors that are the same in both. `posemb check --law precision` prints the worst of
each method. `make test ARGS='-m slow tests/laws/test_long.py'` holds whole models of two layers to the same
bound on rows of {FARTHEST:,} tokens. Only xpos is left out at {FARTHEST:,}: trained on rows as short as these
it cannot represent such a row, and says so.
"""


def laws_page() -> str:
    """docs/laws.md."""
    numbers = {
        "ASKED": ASKED,
        "FARTHEST": FARTHEST,
        "HEADS": SIZES[0][1],
        "LENGTH": LENGTH,
        "LONG": LONG,
        "TRAINED": TRAINED,
        "WIDTH": SIZES[0][0],
    }
    table = "\n".join(f"| `{law.name}` | {law.statement} |" for law in LAWS)
    return PAGE.format(table=table, share=100 * BOUND, **numbers)
