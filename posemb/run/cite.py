"""What to cite for methods, id schemes and tasks, or for what runs used: one bibliography, each work once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from posemb.errors import RunFolderError, UsageError
from posemb.run.bibtex import Entry, Work, entries, escaped
from posemb.run.catalog import Option
from posemb.run.compose import CLASSES
from posemb.run.evaluations import scalings
from posemb.run.folder import RunFolder
from posemb.run.manifest import installed
from posemb.run.opening import CONFIG, first_line
from posemb.run.references import references, unread

AUTHORS, YEAR = "The posemb authors", 2026  # as LICENSE has them


@dataclass
class Bibliography:
    """Works, and who cites them.

    Attributes:
        cited: each work once, with the options that name it.
        without: options that name none, or none for the way in which they are set.
        unread: options whose docstring has no `Source:`, or one that is not in the form that is read.
        notes: what could not be looked up and why, a line each.
    """

    cited: dict[Work, set[str]] = field(default_factory=dict)
    without: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def add(self, one: Option, config_dir: Path | None = None, every: bool = False) -> None:
        """The works of an option as it is set, and those of the methods that it is made of.

        Args:
            one: the option.
            config_dir: where options of the user's own come from.
            every: those of other settings as well.

        Raises:
            UsageError: its class, or that of a part, cannot be found. Then nothing of it was added.
        """
        looked_up = list(_looked_up(one, config_dir, every))  # all of it, before the first work is added
        for part, works in looked_up:
            for work, where in works:
                self._cite(work, f"{part.name}{where}")
            if unread(part, config_dir):
                self.unread.add(part.name)
            elif not works:
                self.without.add(part.name)

    def add_run(self, folder: RunFolder, config_dir: Path | None = None) -> None:
        """The works of what a run used, and those of the scalings that it was extended with."""
        self.add_config(folder.config, folder.path, config_dir)
        try:
            extended = scalings(folder)
        except RunFolderError as damage:
            self._note(f"The scalings of its extensions are left out: {first_line(damage)}")
            return
        for scaling in extended:
            position = {**folder.config["position"], "scaling": scaling}
            self.add_config({**folder.config, "position": position}, folder.path, config_dir)

    def add_config(self, config: Mapping[str, Any], where: Path, config_dir: Path | None = None) -> None:
        """The works of what a run used: `config` as its folder `where` holds it."""
        for group in CLASSES:
            name = config["choice"][group]
            one = Option(group, name, where / CONFIG, {"_target_": None} | config[group])
            own = config_dir is not None and (config_dir / group / f"{name}.yaml").is_file()
            # To look for a module may run foreign code, be it that of a part.
            foreign = [target for target in _targets(one) if not target.startswith(f"posemb.{group}.")]
            if foreign and not own:
                self._note(f"{group}={name} ({foreign[0]}) is not posemb's own: to cite it as well, pass --config-dir.")
                continue
            try:
                self.add(one, config_dir)
            except UsageError as error:
                self._note(f"{group}={name} is left out: {first_line(error)}")

    def entries(self, versions: Iterable[str] = ()) -> list[Entry]:
        """An entry for posemb itself, then the works sorted by key.

        Args:
            versions: those of the posemb that made the runs; none means the installed one.
        """
        return [software(sorted(set(versions))), *entries({work: sorted(who) for work, who in self.cited.items()})]

    def _cite(self, work: Work, who: str) -> None:
        known = next((one for one in self.cited if one.identity == work.identity), work)
        names = self.cited.pop(known, set()) | {who}
        self.cited[known if known.title else work] = names

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)


def _targets(one: Option) -> Iterator[str]:
    """The class that an option names, and those of its parts, at any depth."""
    yield one.target
    for part in one.made_of:
        yield from _targets(part)


def _looked_up(
    one: Option, config_dir: Path | None, every: bool, within: str = ""
) -> Iterator[tuple[Option, list[tuple[Work, str]]]]:
    """An option and the works that it cites, each with where; then the same of its parts."""
    works = [
        (reference.work, f"{within}{reference.where}")
        for reference in references(one, config_dir)
        if (reference.usable(one.parameters) if every else reference.used(one.parameters))
    ]
    if works or not one.made_of:
        yield one, works
    for part in one.made_of:
        yield from _looked_up(part, config_dir, every, f" in {one.name}")


def software(versions: Iterable[str] = ()) -> Entry:
    """The entry of posemb itself."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        about = f": {metadata('posemb')['Summary']}"
    except (PackageNotFoundError, KeyError):
        about = ""
    told = " and ".join(versions) or installed("posemb")
    fields = {"author": f"{{{AUTHORS}}}", "title": f"{{{escaped(f'posemb{about}')}}}", "year": str(YEAR)}
    return Entry("software", "posemb", fields | ({"version": escaped(told)} if told else {}))
