"""The command `copysift`: finds the command and turns errors into messages.

Commands are loaded only when they run, so that --help and --version import neither NumPy nor
pyarrow nor rich. Exit status: 0 done, 1 nothing found, 2 error, 3 done but some input was
skipped; 130 after Ctrl-C, 141 when the reader of the output has closed it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from copysift._version import __version__
from copysift.cli.pandas_guard import keep_pandas_out
from copysift.errors import CopysiftError, UsageError
from copysift.settings.nearest import nearest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's other threads only take a core from ours
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # a pool of its own wants megabytes of new pages

FAILED = 2
INTERRUPTED = 130
BROKEN_PIPE = 141
COMPLETION = "_COPYSIFT_COMPLETE"  # set by the script of a shell

# name → (module with the click command of the same name, the first line of its help)
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Compare files": {
        "scan": ("copysift.cli.scan", "Find identical and similar files, submissions or records"),
        "compare": ("copysift.cli.compare", "Compare two files side by side, or two folders or archives"),
        "check": ("copysift.cli.check", "Fail if files copy from others, for pull requests"),
        "show": ("copysift.cli.show", "Show a saved run, with any threshold"),
        "browse": ("copysift.cli.browse", "Look through a saved run in the terminal"),
        "order": ("copysift.cli.order", "List files so that similar ones are next to each other"),
    },
    "Search a collection": {
        "index": ("copysift.cli.index", "Build and maintain an index of fingerprints"),
        "query": ("copysift.cli.query", "Find documents that share text with a file"),
    },
    "Clean a corpus": {
        "cluster": ("copysift.cli.cluster", "Group the near-duplicates of a corpus"),
        "recluster": ("copysift.cli.recluster", "Recompute the clusters of a run"),
        "cluster-of": ("copysift.cli.cluster_of", "List the near-duplicates of one document"),
        "collapse": ("copysift.cli.collapse", "Remove near-duplicates from a ranked list"),
        "dedup": ("copysift.cli.dedup", "Remove near-duplicates from a corpus"),
    },
    "Follow changes over time": {
        "sweep": ("copysift.cli.sweep", "Record the state of a collection on a date"),
        "locate": ("copysift.cli.locate", "Find where a document is now"),
        "history": ("copysift.cli.history", "Show the versions of a document"),
        "changes": ("copysift.cli.changes", "Show how a collection changed between sweeps"),
        "copies": ("copysift.cli.copies", "Find copies of all or part of a document"),
    },
    "Serve and learn": {
        "serve": ("copysift.cli.serve", "Run the web page, REST API and MOSS server"),
        "worker": ("copysift.cli.worker", "Run jobs of a server on this machine"),
        "languages": ("copysift.cli.languages", "List supported languages"),
        "formats": ("copysift.cli.formats", "List kinds, schemes, measures and formats"),
        "completion": ("copysift.cli.completion", "Print the completion script of a shell"),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
OLD_COMMANDS = {"holders": "copies"}  # hidden; they print a note

EXAMPLES = """\
copysift scan FOLDER
copysift scan submissions.zip --by dir --base starter -o report.html
copysift dedup corpus.jsonl -o clean.jsonl"""
EXIT_STATUS = "Exit status: 0 done, 1 nothing found, 2 error, 3 done but some input was skipped."


class Commands(click.Group):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = OLD_COMMANDS.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an old name prints a note, an unknown one the nearest that is known."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = nearest(args[0], COMMANDS)
            hint = f"did you mean {near}?" if near else "copysift --help lists them"
            raise UsageError(f"there is no command {args[0]!r}", hint=hint)
        name, command, rest = super().resolve_command(ctx, args)
        if name in OLD_COMMANDS and not {"-q", "--quiet"}.intersection(rest):
            print(f"copysift: {name} is now {OLD_COMMANDS[name]}", file=sys.stderr)
        return name, command, rest

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage("copysift", "COMMAND [OPTIONS] …")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, (_, line) in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Examples"):
            for line in EXAMPLES.splitlines():
                formatter.write_text(line)
        formatter.write_paragraph()
        formatter.write_text("Run 'copysift COMMAND --help' for the options of a command.")
        formatter.write_text(EXIT_STATUS)


@click.command(cls=Commands, name="copysift", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="copysift", message="%(prog)s %(version)s")
def copysift() -> None:
    """Find what was copied: in a folder, a class, a corpus or a crawl."""


def run() -> NoReturn:
    """Run the command line and exit."""
    if COMPLETION in os.environ:
        from click.shell_completion import shell_complete

        sys.exit(shell_complete(copysift, {}, "copysift", COMPLETION, os.environ[COMPLETION]))
    keep_pandas_out()
    status = main()
    gc.freeze()  # the process ends: Python need not look for cycles in what is left
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(500_000, 20, 20)  # loading modules leaves few cycles
    try:
        # Not copysift.main(): it answers Ctrl-C with an empty line.
        with copysift.make_context("copysift", given) as context:
            status = copysift.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except CopysiftError as error:
        return _fail(error.message, error.hint, _wants_traceback(given))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return FAILED
    except click.ClickException as error:
        blamed = getattr(error, "ctx", None)
        command = blamed.command_path if blamed else "copysift"
        return _fail(error.format_message(), f"see {command} --help", False)
    except (click.Abort, KeyboardInterrupt):
        print("copysift: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # What is still buffered would raise again when Python closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except MemoryError:
        return _fail("out of memory", "lower --memory, or read fewer files", _wants_traceback(given))
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _fail(what, "", _wants_traceback(given))
    except Exception as error:
        hint = "this is a defect of copysift; run the command with -vv for the traceback"
        return _fail(f"{type(error).__name__}: {error}", hint, _wants_traceback(given))
    return status if isinstance(status, int) else 0


def _wants_traceback(given: Sequence[str]) -> bool:
    return sum(word.count("v") for word in given if word.strip("v") == "-") >= 2


def _fail(message: str, hint: str, traceback: bool) -> int:
    if traceback:
        import traceback as tracebacks

        tracebacks.print_exc()
    print(f"copysift: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    run()
