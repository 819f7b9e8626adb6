"""How long does `posemb runs` take to list many runs, start-up included?

    python scripts/bench_list.py --runs 1000

Run folders are made up in a temporary folder, with files of the usual size: config.yaml, manifest.json, 100 rows of
metrics, 25 rows of curve. The command is then started anew for each of a few turns. What counts is the median.

Exit code 1: it is above --limit seconds.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from posemb.run.compose import compose, options
from posemb.run.folder import RunFolder
from posemb.run.identity import config_hash, folder_label, folder_name
from posemb.run.journal import encode
from posemb.run.manifest import describe

SIZES = [*range(1, 21), 25, 30, 40, 60, 100]
TASKS, WIDTHS = ("copy", "last", "reverse"), (32, 64, 128)


def fabricate(runs: Path, count: int) -> None:
    """Make up `count` finished runs: every method on some tasks, in some widths, over as many seeds as it takes."""
    bases = {
        (position, task): compose([f"position={position}", f"task={task}"])
        for position in options("position")
        for task in TASKS
    }
    kinds = [(base, width) for base in bases.values() for width in WIDTHS]
    manifest = describe(kinds[0][0], digest=None, parameters=103296, trained_length=24, device="cpu", threads=1)
    for number in range(count):
        seed, (base, width) = number // len(kinds), kinds[number % len(kinds)]
        config = base | {
            "model": base["model"] | {"width": width},
            "seed": {"init": seed, "data": seed},
        }
        folder = RunFolder.create(
            runs,
            folder_label(config["choice"]),
            folder_name(config, None),
            config,
            manifest | {"config_hash": config_hash(config, None), "seed": config["seed"]},
        )
        steps = config["train"]["steps"]
        reach = random.Random(number).choice(SIZES)
        folder.metrics.rewrite([metric(round(steps * part / 100)) for part in range(1, 101)])
        folder.curve.path.write_bytes(b"".join(encode(answer(size, reach, steps)) for size in SIZES))
        folder.finish("completed", timings={"training": 41.22, "evaluation": 7.731924}, steps=steps)


def metric(step: int) -> dict[str, Any]:
    row: dict[str, Any] = {"step": step, "loss": 1.9021833, "accuracy": 0.51220703, "lr": 0.0029915}
    row |= {"tokens_per_second": 35966.81, "seconds": 0.596, "time": 1796009870.2}
    return row | {"validation": {"exact_match": 0.046875, "token_accuracy": 0.5234375, "loss": 1.9053}}


def answer(size: int, reach: int, steps: int) -> dict[str, Any]:
    right = 1.0 if size <= reach else 0.234375
    row = {"step": steps, "size": size, "length": size + 4, "exact_match": right, "token_accuracy": 0.51171875}
    row |= {"loss": 1.8969237804412842, "entropy": 2.5681939125061035, "count": 512, "low": right * 0.98}
    return row | {"high": min(1.0, right * 1.02), "chance": 0.03846153846153846, "status": "ok"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="runs to make up (default 1000)")
    parser.add_argument("--turns", type=int, default=5, help="how often to list them (default 5)")
    parser.add_argument("--limit", type=float, default=2.0, help="seconds that a listing may take (default 2)")
    parser.add_argument("--keep", type=Path, help="make the runs up in this folder, and leave them there")
    chosen = parser.parse_args()
    with TemporaryDirectory() as temporary:
        runs = chosen.keep or Path(temporary)
        began = perf_counter()
        fabricate(runs, chosen.runs)
        print(f"{chosen.runs} runs made up in {perf_counter() - began:.1f} s")
        command = [sys.executable, "-m", "posemb.cli", "runs", "--runs", str(runs)]
        seconds = []
        for _ in range(chosen.turns):
            began = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(perf_counter() - began)
    each = ", ".join(f"{one:.2f}" for one in seconds)
    print(f"posemb runs: median {median(seconds):.2f} s of {chosen.turns} turns ({each})")
    return 1 if median(seconds) > chosen.limit else 0


if __name__ == "__main__":
    sys.exit(main())
