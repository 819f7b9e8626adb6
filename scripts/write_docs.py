"""Write the pages that are generated: docs/methods.md, tasks.md, laws.md, config.md, cli.md and README's table.

    make docs                                # write them
    python scripts/write_docs.py --check     # exit code 1, with their names, where a page is stale

Everything comes from the thing itself: docstrings, config files, the parser, and measurements of a tiny float64 model.
"""

import argparse
import sys
from functools import cache
from pathlib import Path

from pages.command_line import cli_page
from pages.config import config_page
from pages.laws import laws_page
from pages.methods import methods_page, readme
from pages.tasks import tasks_page

ROOT = Path(__file__).parents[1]


@cache
def whole_pages() -> dict[str, str]:
    """The pages that are generated from end to end, and what they should say."""
    return {
        "docs/methods.md": methods_page(),
        "docs/tasks.md": tasks_page(),
        "docs/laws.md": laws_page(),
        "docs/config.md": config_page(),
        "docs/cli.md": cli_page(),
    }


def pages() -> dict[str, str]:
    """These, and the README with a fresh table."""
    return whole_pages() | {"README.md": readme((ROOT / "README.md").read_text("utf-8"))}


def main(argv: list[str]) -> int:
    """Write, or check; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 where a page is stale")
    checking = parser.parse_args(argv).check
    stale = []
    for name, text in pages().items():
        path = ROOT / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if not checking:
                path.write_text(text, "utf-8")
    if stale:
        print(f"{'stale' if checking else 'written'}: {', '.join(stale)}" + (" (make docs)" if checking else ""))
    return 1 if checking and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
