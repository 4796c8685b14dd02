"""The command `copysift`: finds the command asked for, and turns errors into messages.

Commands are loaded only when they run, so that --help and --version import neither NumPy nor
pyarrow nor rich. Exit status: 0 done, 1 done and nothing found, 2 wrong usage or failed, 3 done but
some input was skipped; 130 after Ctrl-C, 141 when the reader of the output has gone away.
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
from copysift.errors import CopysiftError

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's other threads only take a core from ours

FAILED = 2
INTERRUPTED = 130
BROKEN_PIPE = 141

# name → (module with the click command of the same name, one line of help)
COMMANDS = {
    "scan": ("copysift.cli.scan", "Compare every file with every file."),
    "show": ("copysift.cli.show", "Ask a saved run again, with other thresholds."),
    "compare": ("copysift.cli.compare", "Compare two files side by side, or two folders by content."),
    "index": ("copysift.cli.index", "Fingerprint a collection once, keep it on disk, keep it current."),
    "query": ("copysift.cli.query", "Find what shares something with a file, in an index or a run."),
    "cluster": ("copysift.cli.cluster", "Cluster the documents of a corpus."),
    "recluster": ("copysift.cli.recluster", "Form the clusters of a run anew."),
    "cluster-of": ("copysift.cli.cluster_of", "List the cluster of a document."),
    "collapse": ("copysift.cli.collapse", "Fold near-copies in a ranked list."),
    "dedup": ("copysift.cli.dedup", "Keep one document of each cluster."),
    "sweep": ("copysift.cli.sweep", "Add a dated sweep of a collection to an index."),
    "locate": ("copysift.cli.locate", "Tell where a document is now."),
    "history": ("copysift.cli.history", "Tell how a document changed."),
    "changes": ("copysift.cli.changes", "Tell how a collection changed."),
    "holders": ("copysift.cli.holders", "Tell who holds all or part of a document."),
    "serve": ("copysift.cli.serve", "Serve a web page, a REST interface and MOSS clients."),
    "languages": ("copysift.cli.languages", "List the programming languages."),
    "formats": ("copysift.cli.formats", "List the kinds, schemes and report formats."),
}

EPILOG = (
    "Exit status: 0 done; 1 done and nothing found; 2 wrong usage or failed; "
    "3 done, but some input was skipped (it is named on standard error)."
)


class Commands(click.Group):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; `query` asks an index or a run, and the folder that is named tells which."""
        name, command, rest = super().resolve_command(ctx, args)
        if name == "query" and any(_is_run(word) for word in rest):
            command = importlib.import_module("copysift.cli.query_run").command
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.command(
    cls=Commands, name="copysift", epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="copysift", message="%(prog)s %(version)s")
def copysift() -> None:
    """Find what was copied: in a folder, a class, a corpus or a crawl."""


def run() -> NoReturn:
    """Be the command: run the command line and leave."""
    status = main()
    gc.freeze()  # what is left goes with the process: Python need not look through it for cycles
    sys.exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(200_000, 20, 20)  # modules that are loaded leave no cycles worth looking for so often
    try:
        # Not copysift.main(): it answers Ctrl-C with an empty line of its own.
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
        return _fail("out of memory", "give less with --memory, or fewer files", _wants_traceback(given))
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _fail(what, "", _wants_traceback(given))
    return status if isinstance(status, int) else 0


def _is_run(word: str) -> bool:
    # Not Path.is_file, which raises for a word that is too long for a name.
    return os.path.isfile(os.path.join(word, "run.json"))  # noqa: PTH113, PTH118


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
