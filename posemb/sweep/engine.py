"""Hydra's launchers: joblib for one machine, submitit for a cluster, or any other that is installed."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Any

from posemb.errors import UsageError
from posemb.run.grammar import quote
from posemb.run.machine import cores
from posemb.run.nearest import meant
from posemb.run.opening import first_line
from posemb.sweep.folder import Job
from posemb.sweep.notes import Note
from posemb.sweep.work import Work, sent

LAUNCHER, LOCAL = "hydra/launcher", "joblib"
UNKNOWN = re.compile(r"^Key '([^']+)' (?:is )?not in")  # as OmegaConf says it
SUBMITIT = ("submitit_slurm", "submitit_local")
SLURM = ("sbatch", "srun")  # what submitit calls


class Engine:
    """A launcher and its settings.

    Args:
        settings: overrides of `hydra/launcher` and `hydra.launcher.*`.
        jobs: how many at once on this machine; None takes one for each core, or what a launcher's own file says.
        folder: where the launcher keeps what it needs: a sweep's folder.
        config_dir: a folder of the user's own options, launchers perhaps among them.

    Attributes:
        launcher: its name.
        at_once: how many jobs it runs at a time; None where a cluster decides.

    Raises:
        UsageError: there is no such launcher, or no such setting.
    """

    def __init__(self, settings: Sequence[str], jobs: int | None, folder: Path, config_dir: Path | None) -> None:
        given = dict(token.split("=", 1) for token in settings)
        self.launcher = given.get(LAUNCHER, LOCAL)
        defaults = {
            LAUNCHER: LOCAL,
            "hydra/hydra_logging": "none",
            "hydra/job_logging": "none",
            "hydra.output_subdir": "null",
            "hydra.job.name": "posemb",
            "hydra.sweep.dir": quote(str(folder / "engine")),
            "hydra.sweep.subdir": ".",
        }
        self._compose(defaults | given, config_dir)
        if jobs is not None and not self.local:
            raise UsageError(f"--jobs {jobs} is for this machine. {LAUNCHER}={self.launcher} has settings of its own.")
        if self.local:
            many = {"hydra.launcher.n_jobs": str(jobs or cores())} if jobs or self.launcher == LOCAL else {}
            self._compose(defaults | {"hydra.launcher.batch_size": "1"} | many | given, config_dir)
        self.at_once = self._at_once() if self.local else None
        missing = [program for program in SLURM if which(program) is None]
        if self._target.endswith(".SlurmLauncher") and missing:
            raise UsageError(
                f"hydra/launcher={self.launcher}: there is no {missing[0]} here.\n"
                "Type this where jobs are submitted to Slurm: on the cluster's login node."
            )

    @property
    def crowded(self) -> bool:
        """Whether more jobs run at a time than there are cores."""
        return self.at_once is not None and self.at_once > self.cores

    @property
    def cores(self) -> int:
        """Cores of this machine that may be used."""
        return cores()

    @property
    def local(self) -> bool:
        """Whether the jobs run on this machine, in processes that are used again for the next ones."""
        return ".hydra_joblib_launcher." in self._target  # by class: a config of the user's own has a name of its own

    @property
    def isolates(self) -> bool:
        """Whether each job has a process of its own, started by the launcher."""
        return ".hydra_submitit_launcher." in self._target

    @property
    def _target(self) -> str:
        return str(self._config.hydra.launcher.get("_target_"))

    def _at_once(self) -> int:
        said = int(self._config.hydra.launcher.n_jobs)
        return said if said > 0 else max(1, cores() + 1 + said)  # joblib counts from the end: -1 is every core

    def _compose(self, settings: Mapping[str, str], config_dir: Path | None) -> None:
        from hydra import initialize_config_module
        from hydra.core.global_hydra import GlobalHydra
        from hydra.types import RunMode

        overrides = [f"{key}={value}" for key, value in settings.items()]
        with initialize_config_module("posemb.configs", version_base="1.3"):
            self._hydra = GlobalHydra.instance().hydra
            assert self._hydra is not None
            if config_dir is not None:
                self._hydra.config_loader.get_search_path().prepend("user", str(config_dir.absolute()))
                overrides = ["hydra.searchpath=[]", *overrides]  # makes Hydra read the path again
            try:
                self._config = self._hydra.compose_config(None, overrides, RunMode.MULTIRUN, from_shell=False)
                self._start(lambda config: None)
            except Exception as error:  # Hydra lets TypeError and others through, too
                raise UsageError(self._refusal(error)) from error

    def _refusal(self, error: Exception) -> str:
        from hydra.types import RunMode

        assert self._hydra is not None
        known = self._hydra.config_loader.get_group_options(LAUNCHER)
        if self.launcher not in known:
            hint = "\nInstall it first: pip install 'posemb[slurm]'" if self.launcher in SUBMITIT else ""
            return f"There is no {LAUNCHER}={self.launcher}. {meant(self.launcher, known, 'Launchers')}{hint}"
        reason = error.__cause__ or error
        unknown = UNKNOWN.search(str(reason))
        if unknown is None:
            return f"{LAUNCHER}={self.launcher}: {first_line(reason)}"
        plain = self._hydra.compose_config(None, [f"{LAUNCHER}={self.launcher}"], RunMode.MULTIRUN, from_shell=False)
        keys = [str(key) for key in plain.hydra.launcher if key != "_target_"]
        return f"{LAUNCHER}={self.launcher} has no {unknown[1]}. {meant(unknown[1], keys, 'Settings')}"

    def _start(self, work: Any) -> Any:
        from hydra._internal.callbacks import Callbacks
        from hydra.core.plugins import Plugins
        from hydra.types import HydraContext

        assert self._hydra is not None
        context = HydraContext(config_loader=self._hydra.config_loader, callbacks=Callbacks(self._config))
        return Plugins.instance().instantiate_launcher(context, work, self._config)

    def launch(self, work: Work, jobs: Sequence[Job]) -> list[Note]:
        """Have the launcher run these jobs; returns when it is done with all of them.

        Raises:
            Exception: whatever the launcher raises where a process was killed, or where it cannot launch at all. What
                the jobs came to is then in their notes and runs alone.
        """
        # The job itself travels with the launch, not its number in a file: what was planned is what runs, hours later.
        overrides = [[f"+job={quote(sent(job))}"] for job in jobs]
        returned = self._start(work).launch(overrides, initial_job_idx=0)
        return [Note(**one.return_value) for one in returned]
