"""posemb resume: go on with a run that was stopped."""

from . import options
from .following import following


def resume(
    run: options.Run,
    device: options.Device = None,
    threads: options.Threads = None,
    config_dir: options.ConfigDir = None,
    json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Go on with a run from its last checkpoint. It ends as it would have ended without the interruption.

    To the last bit that holds on the same kind of device with as many threads.
    """
    from posemb.run.folder import RunFolder

    machine = options.machine_from(device, threads)
    RunFolder.open(run)  # before torch is loaded: a wrong folder is found at once
    with following(json) as watch:
        from posemb.run.execute import resume as go_on

        watch.finished(go_on(run, watch, config_dir, **machine))
