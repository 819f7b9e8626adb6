"""The command line: the only part of posemb that knows Typer and Rich."""


def main() -> None:
    """The `posemb` command. Ctrl-C ends it in one line at any time, while libraries are being loaded, too."""
    import sys

    try:
        from .app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
        if sys.stderr is not None:
            print("Interrupted.", file=sys.stderr)
    sys.exit(code)
