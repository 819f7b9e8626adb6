"""The part of Slurm that goes on when `sbatch` has returned: starts tasks, and puts them back into the queue."""

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.sweep.slurm.state import Task, at_once, options, tasks

LOOK = 0.05
KILL_WAIT = 0.2  # seconds from SIGTERM to SIGKILL; Slurm's own default is 30
NODES = ("node1", "node2")


class Running:
    """A task on its node."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.asked: float | None = None
        settings = options(task.job)
        task.drop("step")
        task.write("starts", task.read("starts") + "x")
        node = NODES[(len(task.read("starts")) + (task.number or 0)) % len(NODES)]  # a requeued one gets another
        task.write("node", node)
        task.write("state", "RUNNING")
        environment = dict(os.environ) | {
            "SLURM_JOB_ID": str(int(task.job.name) + (task.number or 0)),
            "SLURM_JOB_NAME": settings.get("job-name", ""),
            "SLURM_JOB_NODELIST": node,
            "SLURM_JOB_NUM_NODES": "1",
            "SLURM_NTASKS": "1",
            "SLURMD_NODENAME": node,
            "SLURM_RESTART_COUNT": str(len(task.read("starts")) - 1),
            "FAKE_SLURM_TASK": task.name,
        }
        if task.number is not None:
            environment |= {"SLURM_ARRAY_JOB_ID": task.job.name, "SLURM_ARRAY_TASK_ID": str(task.number)}
        with open(task.paths(settings["output"]), "ab") as out, open(task.paths(settings["error"]), "ab") as err:
            self.script = subprocess.Popen(
                ["bash", str(task.job / "script.sh")],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        task.write("script", str(self.script.pid))

    @property
    def ended(self) -> bool:
        """Looks after the task, and says whether it is off its node; what follows is written in its state."""
        requeued, cancelled = bool(self.task.read("requeue")), bool(self.task.read("cancel"))
        if (requeued or cancelled) and self.asked is None:
            self.asked = time.monotonic()
            self.task.signal(signal.SIGCONT)
            self.task.signal(signal.SIGTERM)
        if self.asked is not None and time.monotonic() > self.asked + KILL_WAIT and self.script.poll() is None:
            os.killpg(self.script.pid, signal.SIGKILL)
        if self.script.poll() is None:
            return False
        if cancelled:
            self.task.write("state", "CANCELLED by 0")
        elif requeued:
            self.task.drop("requeue")
            self.task.write("state", "PENDING")
        else:
            self.task.write("state", "FAILED" if self.script.returncode else "COMPLETED")
        return True


def control(job: Path) -> None:
    """Bring all tasks of a job to their ends."""
    (job / "controller").write_text(str(os.getpid()))
    waiting, running = tasks(job), []
    logs = [Path(task.paths(options(job)["output"])).parent for task in waiting]
    while not all(path.is_dir() for path in logs):  # submitit makes them when it knows the job's id
        time.sleep(LOOK)
    while waiting or running:
        while waiting and len(running) < at_once(job):
            task = waiting.pop(0)
            if task.read("cancel"):
                task.write("state", "CANCELLED by 0")
            else:
                running.append(Running(task))
        over = [one for one in running if one.ended]
        running = [one for one in running if one not in over]
        waiting += [one.task for one in over if one.task.state == "PENDING"]
        time.sleep(LOOK)
