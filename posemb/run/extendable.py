"""Whether a run can be extended, and as far as is wanted; and what to do where it cannot."""

from shlex import quote

from posemb.errors import UsageError
from posemb.eval.protocol import MOST_SIZE
from posemb.run.compose import compose, options
from posemb.run.folder import RunFolder
from posemb.run.variants import PLAIN, Wanted, at
from posemb.train.recipe import MOST_TRAINED

KEYS = {"scaling", "factor"}  # what a method must have


def refuse_run(folder: RunFolder) -> None:
    """See to it that a run can be extended.

    Raises:
        UsageError: it has no trained weights yet, its method has no scaling, or it was trained with one.
    """
    section, choice = folder.config["position"], folder.config["choice"]["position"]
    if folder.state != "completed":
        raise UsageError(f"{folder.path} is {folder.state}: only a completed run can be extended.\n{_instead(folder)}")
    if not section.keys() >= KEYS:
        able = [one for one in options("position") if compose([f"position={one}"])["position"].keys() >= KEYS]
        raise UsageError(
            f"{folder.path} was trained with position={choice}, which has no scaling.\n"
            f"Methods that do: {', '.join(able)}."
        )
    if section["scaling"] != PLAIN:
        raise UsageError(
            f"{folder.path} was trained with position.scaling={section['scaling']}: another scaling would replace it,\n"
            f"not add to it. Extend a run that was trained with position.scaling={PLAIN}."
        )


def _instead(folder: RunFolder) -> str:
    """What can be done with a run that is not completed."""
    path = quote(str(folder.path))
    if folder.state == "running":
        return f"To see how far it has got: posemb show {path}"
    if folder.state == "diverged":
        return "To go on with it would diverge again: start a new run with a lower train.lr."
    return f"To complete it: posemb resume {path}"


def refuse_aim(trained: int, wanted: Wanted) -> None:
    """See to it that no form aims past the sizes that can be evaluated or tuned at.

    Raises:
        UsageError: one does.
    """
    aim = max(wanted.factors)
    farthest = at(trained, aim)
    bounds = [(wanted.sizes is None, MOST_SIZE, "--to"), (wanted.tune is not None, MOST_TRAINED, "--tune with --to")]
    for asked, most, option in bounds:
        if asked and farthest > most:
            raise UsageError(f"{option} {aim:.15g}: that is size {farthest}, and the largest is {most}. Aim nearer.")
