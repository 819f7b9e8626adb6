"""Slurm's programs, as far as a sweep needs them: those that submitit calls, and `scancel`."""

import os
import re
import shlex
import signal
import sys
from pathlib import Path

from tests.sweep.slurm.controller import control
from tests.sweep.slurm.state import Task, jobs, make_job, named, root, tasks

DIRECTIVE = re.compile(r"#SBATCH --([\w-]+)(?:=(.*))?")
FLAGS = ("--unbuffered",)


def sbatch(words: list[str]) -> None:
    """`sbatch SCRIPT`: read the settings in the script, and start a controller that outlives this."""
    script = Path(words[-1]).read_text()
    found = (DIRECTIVE.fullmatch(line) for line in script.splitlines())
    job = make_job({match[1]: shlex.split(match[2] or "true")[0] for match in found if match})
    (job / "script.sh").write_text(script)
    if os.fork() == 0:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):  # whoever reads what sbatch prints must not wait for this
            os.dup2(nowhere, descriptor)
        control(job)
        os._exit(0)
    print(f"Submitted batch job {job.name}")


def srun(words: list[str]) -> None:
    """`srun --output PATTERN --error PATTERN COMMAND`: the step, which is this very process from now on."""
    (task,) = named(os.environ["FAKE_SLURM_TASK"])
    streams = {"--output": 1, "--error": 2}
    while words[0].startswith("--"):
        option = words.pop(0)
        if option in FLAGS:
            continue
        path = task.paths(words.pop(0))
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666), streams[option])
    os.environ.update({"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0", "SLURM_STEP_ID": "0"})
    task.write("step", str(os.getpid()))
    os.execvp(words[0], words)


def sacct(words: list[str]) -> None:
    """`sacct -o JobID,State,NodeList --parsable2 -j ID ...`: the tasks that wait are told together, as Slurm does."""
    assert words[:3] == ["-o", "JobID,State,NodeList", "--parsable2"], words
    print("JobID|State|NodeList")
    asked = [word for word in words[3:] if word != "-j"]
    for job in [root() / number for number in asked] if asked else jobs(root()):
        started = [task for task in tasks(job) if task.state != "PENDING"]
        for task in started:
            print(f"{task.name}|{task.state}|{task.read('node')}")
            print(f"{task.name}.batch|{task.state}|{task.read('node')}")
        waiting = [task for task in tasks(job) if task not in started]
        if waiting:
            print(f"{_together(job, waiting)}|PENDING|None assigned")


def _together(job: Path, waiting: list[Task]) -> str:
    if waiting[0].number is None:
        return job.name
    return f"{job.name}_[{','.join(str(task.number) for task in waiting)}]"


def scontrol(words: list[str]) -> None:
    """`scontrol requeue ID`: off its node with SIGTERM, then SIGKILL, and back into the queue under the same id."""
    assert words[0] == "requeue", words
    for task in named(words[1]):
        task.write("requeue", "yes")


def scancel(words: list[str]) -> None:
    """`scancel [--signal=NAME] ID ...`."""
    number = None
    for word in words:
        if word.startswith("--signal="):
            number = signal.Signals["SIG" + word.removeprefix("--signal=").removeprefix("SIG")]
            continue
        for task in named(word):
            if number is None:
                task.write("cancel", "yes")
            else:
                task.signal(number)


PROGRAMS = {"sbatch": sbatch, "srun": srun, "sacct": sacct, "scontrol": scontrol, "scancel": scancel}


def install(folder: Path) -> None:
    """Make the programs, in a folder for PATH."""
    folder.mkdir()
    for name in PROGRAMS:
        call = (
            f"sys.path.insert(0, {str(Path(__file__).parents[3])!r}); from tests.sweep.slurm.programs import PROGRAMS"
        )
        code = shlex.quote(f"import sys; {call}; PROGRAMS[{name!r}](sys.argv[1:])")
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {code} "$@"\n')
        program.chmod(0o755)
