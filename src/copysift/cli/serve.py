"""`copysift serve`: the web page, the REST interface and the MOSS port; its users."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, declared, of_class, options, values_from
from copysift.errors import UsageError
from copysift.settings.environment import read_environment
from copysift.settings.output import Door
from copysift.settings.server import ServeOptions

if TYPE_CHECKING:
    from copysift.serve.users import Users

VARIABLES = "COPYSIFT_SERVE_"
_PASSWORD = re.compile(r":[^:/@]*@")  # in an address
_SECRET = ("webhook",)  # addresses that may be secret as a whole


class ServeGroup(click.Group, SectionedCommand):
    """Serves when it is called alone; has commands for its users besides."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        SectionedCommand.format_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def merged(typed: dict[str, Any]) -> dict[str, object]:
    """Add what the environment says to what was typed: an option wins over a variable."""
    found = read_environment(VARIABLES, declared("serve"), os.environ)
    given = {
        name: value
        for name, value in typed.items()
        if value is not None and value != () and (name != "verbose" or value)
    }
    return {**found, **given}


@click.group("serve", cls=ServeGroup, invoke_without_command=True)
@options("serve")
@click.pass_context
def command(context: click.Context, /, **typed: Any) -> int:
    """Run the web page, REST API and MOSS server.

    Data is stored in --data. Without users there is one user, and only this machine can connect. Every option
    can also be an environment variable: COPYSIFT_SERVE_PORT=8000 is --port 8000.
    """
    if context.invoked_subcommand is not None:
        context.obj = typed
        return console.DONE
    values = values_from("serve", merged(typed))
    settings, door = of_class(ServeOptions, values, "serve"), of_class(Door, values, "serve")
    try:
        from copysift.serve.events import start_log
        from copysift.serve.server import run
    except ImportError as error:
        raise UsageError(
            f"the server needs a package that is not installed: {error.name}",
            hint="pip install 'copysift[serve]'",
        ) from None
    start_log(settings.log_format, logging.WARNING if door.quiet else logging.INFO)
    if door.verbose:
        for name in declared("serve"):
            if hasattr(settings, name):
                value = str(getattr(settings, name))
                shown = "***" if value and name in _SECRET else _PASSWORD.sub(":***@", value)
                console.note(f"{name.replace('_', '-')}: {shown}")
    run(settings, lambda line: click.echo(line))
    return console.DONE


@command.group("token")
def token() -> None:
    """Add, revoke and list the tokens of users.

    They take effect at once, while the server runs.
    """


_data = click.option(
    "--data", metavar="DIR", help="Folder of the server.  [default: COPYSIFT_SERVE_DATA, else copysift-data]"
)


@token.command("add")
@click.argument("name", metavar="NAME")
@click.option("--role", default="", metavar="ROLE", help="teacher, assistant or admin.  [default: teacher]")
@_data
@click.pass_context
def add(context: click.Context, name: str, role: str, data: str | None) -> int:
    """Print a new token for a user.

    It is stored as a digest and cannot be shown again. A user can have several. The first user is an admin.
    """
    users = _users(context, data, make=True)
    click.echo(users.add(name, role))
    console.note(f"{name} has the role {users.role(name)}")
    return console.DONE


@token.command("revoke")
@click.argument("name", metavar="NAME")
@_data
@click.pass_context
def revoke(context: click.Context, name: str, data: str | None) -> int:
    """Revoke all tokens of a user, which ends the sessions too.

    The checks and indexes of the user stay.
    """
    gone = _users(context, data).revoke(name)
    console.note(f"{gone} revoked" + ("" if gone else "; a token in a token file ends when its line is gone"))
    return console.DONE if gone else console.NOTHING_FOUND


@token.command("list")
@_data
@click.pass_context
def list_users(context: click.Context, data: str | None) -> int:
    """List users, roles and how many tokens each has."""
    found = _users(context, data).listed()
    for each in found:
        click.echo(f"{each.name:24} {each.role:10} {each.tokens}")
    return console.DONE if found else console.NOTHING_FOUND


@command.command("move")
@click.argument("target", metavar="postgresql|sqlite", type=click.Choice(["postgresql", "sqlite"]))
@_data
@click.option("--database", metavar="URL", help="Address of the PostgreSQL database.")
@click.option("--store", metavar="URI", help="Folder or bucket for the files that workers share.")
@click.pass_context
def move(context: click.Context, /, target: str, **given: str | None) -> int:
    """Move a stopped server to PostgreSQL, or back to SQLite.

    Jobs, results, marks, users, courses and indexes move. With --store the files of jobs and indexes move
    from --data to the store, or back; without it they stay in --data. Nothing is deleted where it was.
    """
    from copysift.serve import move as moves
    from copysift.serve.server import lock
    from copysift.serve.store import Store

    typed = {name: value for name, value in given.items() if value}
    settings = of_class(ServeOptions, values_from("serve", merged({**(context.obj or {}), **typed})), "serve")
    if not settings.database:
        raise UsageError("no PostgreSQL database was given", hint="add --database postgresql://…")
    data = Path(settings.data).absolute()
    if target == "postgresql" and not data.is_dir():
        raise UsageError(f"{data} is not a folder", hint="give the folder of the server with --data")
    held = lock(data)
    try:
        store = Store(settings.store) if settings.store else None
        run = moves.to_postgresql if target == "postgresql" else moves.to_sqlite
        moved = run(data, settings.database, store)
    finally:
        os.close(held)
    counts = ", ".join(f"{count:,} {name}" for name, count in moved.items() if count)
    console.note(f"moved to {target}: {counts or 'nothing, for there was nothing'}")
    return console.DONE


def _users(context: click.Context, data: str | None, *, make: bool = False) -> Users:
    from copysift.serve.database import open_database
    from copysift.serve.users import Users

    values = values_from("serve", merged({**(context.obj or {}), **({"data": data} if data else {})}))
    settings = of_class(ServeOptions, values, "serve")
    folder = Path(settings.data)
    if not folder.is_dir() and not settings.database:
        if not make:
            raise UsageError(f"{folder} is not a folder", hint="give the folder of the server with --data")
        folder.mkdir(mode=0o700, parents=True)
    return Users(open_database(folder, settings.database))
