"""docs/cli.md: the commands and their options, as the parser knows them."""

import typer
from posemb.cli.app import app
from typer.cli import get_docs_for_click


def cli_page() -> str:
    """docs/cli.md, by Typer's own generator."""
    command = typer.main.get_command(app)
    context = typer.Context(command, info_name="posemb", **command.context_settings)
    return get_docs_for_click(obj=command, ctx=context, name="posemb", title="The command line").rstrip() + "\n"
