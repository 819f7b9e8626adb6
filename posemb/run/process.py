"""Which process is writing a run, and whether it still lives."""

import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def me() -> dict[str, Any]:
    """This process, as a manifest records it: pid, host, and when the process began."""
    return {"pid": os.getpid(), "host": socket.gethostname(), "process_began": began(os.getpid())}


def began(pid: int) -> str | None:
    """When a process began, as an opaque word that no later process with the same pid shares. None if it is gone.

    Linux: the boot's id and the clock ticks since then (proc(5), field 22 of stat). Elsewhere: what `ps` says.
    """
    if Path("/proc/self/stat").exists():
        try:
            # The command's name, field 2, is in parentheses and may hold spaces and parentheses itself.
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        except OSError:
            return None
        # A zombie (state Z) has ended; only its parent has not asked yet.
        return None if fields[0] in "ZX" else f"{boot}/{fields[19]}"
    try:
        said = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return said.stdout.strip() or None


def here(manifest: Mapping[str, Any]) -> bool:
    """Whether the process that a manifest names belongs to this machine, so that it can be looked for."""
    return manifest.get("host") == socket.gethostname()


def alive(manifest: Mapping[str, Any]) -> bool:
    """Whether the very process that a manifest names still lives on this machine; a reused pid does not count."""
    pid, since = manifest.get("pid"), manifest.get("process_began")
    return here(manifest) and isinstance(pid, int) and since is not None and began(pid) == since
