"""The command line: the only part of posemb that knows Typer and Rich."""


def main() -> None:
    """The `posemb` command."""
    import sys

    from .app import run

    sys.exit(run(sys.argv[1:]))
