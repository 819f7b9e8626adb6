"""Time sweeps as whole commands: planning many jobs, and jobs side by side against the same jobs one after the other.

    python scripts/bench_sweep.py plan --jobs 1000      # composed, checked, half of them finished
    python scripts/bench_sweep.py pair --jobs 12        # the same runs in turn by `posemb train`, then as a sweep

Compare ratios within one run on an idle machine; seconds are this machine's own.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

POSEMB = [sys.executable, "-m", "posemb.cli"]
TINY = ["--task", "last", "--steps", "2", "--sizes", "2,3", "model.width=8", "model.heads=2", "train.batch=2"]


def timed(*words: str) -> float:
    """Seconds that a command takes; it must succeed."""
    began = time.perf_counter()
    done = subprocess.run([*POSEMB, *words], capture_output=True, text=True, env=environment())
    if done.returncode:
        sys.exit(f"posemb {' '.join(words)} failed:\n{done.stderr}")
    return time.perf_counter() - began


def environment() -> dict[str, str]:
    """Threads are posemb's to choose."""
    return {key: value for key, value in os.environ.items() if key not in ("OMP_NUM_THREADS", "POSEMB_RUNS")}


def plan(jobs: int) -> None:
    """A dry run of so many jobs, every other one finished."""
    with TemporaryDirectory() as folder:
        words = [*TINY, "--position", "ape,rope", "--seed", f"range(0,{jobs // 2})", "--runs", folder]
        timed("train", *TINY, "--position", "rope", "--runs", folder)
        (one,) = Path(folder).glob("last/rope/*")
        said = subprocess.run([*POSEMB, "sweep", *words, "--dry-run", "--json"], capture_output=True, text=True)
        for job in json.loads(said.stdout)["jobs"]:
            if job["values"]["position"] == "rope" and job["state"] == "waiting":
                copied(one, Path(folder), job["overrides"])
        print(f"planning {jobs} jobs, {len(list(Path(folder).glob('*/*/*')))} of them finished: ", end="", flush=True)
        print(f"{timed('sweep', *words, '--dry-run'):.1f} s")


def copied(run: Path, runs: Path, overrides: list[str]) -> None:
    """A finished run under the name that these overrides give it."""
    from posemb.run.check import check
    from posemb.run.compose import compose
    from posemb.run.identity import folder_label, folder_name

    config = check(compose(overrides))
    copytree(run, runs / folder_label(config["choice"]) / folder_name(config, None), dirs_exist_ok=True)


def pair(steps: int, jobs: int) -> None:
    """The same runs twice."""
    words = ["--task", "last", "--position", "rope", "--steps", str(steps)]
    with TemporaryDirectory() as apart, TemporaryDirectory() as together:
        alone = [timed("train", *words, "--seed", str(seed), "--runs", apart) for seed in range(jobs)]
        swept = timed("sweep", *words, "--seed", f"range(0,{jobs})", "--runs", together)
    print(f"{jobs} runs one after the other, {os.cpu_count()} threads each: {sum(alone):.1f} s")
    print(f"as a sweep, report included: {swept:.1f} s; ratio {swept / sum(alone):.2f}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("plan").add_argument("--jobs", type=int, default=100)
    side = commands.add_parser("pair")
    side.add_argument("--steps", type=int, default=700)
    side.add_argument("--jobs", type=int, default=12)
    given = parser.parse_args()
    plan(given.jobs) if given.command == "plan" else pair(given.steps, given.jobs)


if __name__ == "__main__":
    main()
