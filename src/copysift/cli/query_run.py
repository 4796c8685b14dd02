"""`copysift query RUN`: documents against all of a run (section 6.1)."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.corpus_options import options, settings_from, spare_pandas
from copysift.cli.options import SectionedCommand
from copysift.errors import UsageError
from copysift.model.values import Answer, Pair
from copysift.report.hits import FORMATS
from copysift.report.view import View
from copysift.settings.comparison import Door
from copysift.settings.corpus import CorpusDoor


@click.command("query", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@click.argument("names", nargs=-1, metavar="FILE|ID...")
@click.option("--text", "texts", multiple=True, metavar="TEXT", help="Ask for a text; may be repeated.")
@options("query")
def command(run: str, names: tuple[str, ...], texts: tuple[str, ...], **given: object) -> int:
    """List the documents of RUN that resemble each FILE (- is standard input), or document ID of RUN.

    Columns: resemblance, the share of what was asked for that stands in the document, the share of the
    document that stands in what was asked for, the document. The best come first.
    """
    settings, door = settings_from(given)
    if not names and not texts:
        raise UsageError("nothing to ask for", hint="name files, ids, - for standard input, or give --text")
    out = Door(output=door.output)
    chosen = _format(door)
    console.check_output(out)
    spare_pandas()
    from copysift.workflows.run_query import Asked

    asked = Asked(Path(run), settings.seed)
    questions = [question for name in names for question in _read(name)]
    questions += [(" ".join(text.split())[:40], text.encode()) for text in texts]
    least = settings.floor if door.threshold is None else door.threshold
    if chosen in ("json", "csv"):
        given_back = [asked.answer(text, name, least, door.limit) for name, text in questions]
        queries, hits = zip(*given_back, strict=True)
        limits: dict[str, object] = {"threshold": least, "limit": door.limit}
        answer = Answer(limits, queries, tuple(chain.from_iterable(hits)))
        console.write(FORMATS[chosen](answer, View()), out)
        return console.DONE if answer.hits else console.NOTHING_FOUND
    answers = [asked.query(text, name, least, door.limit) for name, text in questions]
    found = [pair for pairs in answers for pair in pairs]
    if chosen == "list":
        console.write(json.dumps([asdict(pair) for pair in found], ensure_ascii=False) + "\n", out)
    else:
        blocks = [
            (f"{name}\n" if len(questions) > 1 else "") + "".join(map(_line, pairs))
            for (name, _), pairs in zip(questions, answers, strict=True)
        ]
        console.write("".join(blocks), out)
    return console.DONE if found else console.NOTHING_FOUND


def _format(door: CorpusDoor) -> str:
    """Give the format: as told, by the suffix of the output, else the table; --json alone is a plain list."""
    if door.json:
        if door.format:
            raise UsageError("--json and --format say two things", hint="leave one of them out")
        return "list"
    suffix = Path(door.output).suffix.lower()
    return door.format or {".json": "json", ".csv": "csv"}.get(suffix, "table")


def _read(name: str) -> list[tuple[str, bytes | None]]:
    """Give the documents in a file, of a container or of records all of them; None: an id of the run."""
    if name == "-":
        return [(name, sys.stdin.buffer.read())]
    if not Path(name).is_file():
        return [(name, None)]
    from copysift.model.document import Document
    from copysift.model.values import Skipped
    from copysift.sources.files import load
    from copysift.sources.inputs import Inputs
    from copysift.sources.source import Reading

    found: list[tuple[str, bytes | None]] = []
    for each in Inputs(Reading()).documents([name]):
        loaded = load(each) if isinstance(each, Document) else each
        if isinstance(loaded, Skipped):
            console.name_skipped([loaded])
        elif isinstance(each, Document):
            found.append((each.name, b"".join(each.content.chunks())))
    return found


def _line(pair: Pair) -> str:
    shares = (pair.resemblance, pair.containment_left, pair.containment_right)
    return "".join(f"{share:7.1%} " for share in shares) + f" {pair.right}\n"
