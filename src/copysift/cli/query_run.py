"""`copysift query RUN`: documents against all of a run (section 6.1)."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.corpus_options import options, settings_from, spare_pandas, told
from copysift.cli.options import SectionedCommand
from copysift.errors import UsageError
from copysift.values import Pair


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
    spare_pandas()
    from copysift.engine.corpus.query import Asked

    asked = Asked(Path(run), settings.seed)
    questions = [(name, _read(name)) for name in names]
    questions += [(" ".join(text.split())[:40], text.encode()) for text in texts]
    answers = [asked.query(text, name, settings.floor, door.limit) for name, text in questions]
    found = [pair for answer in answers for pair in answer]
    if door.json:
        told(json.dumps([asdict(pair) for pair in found], ensure_ascii=False) + "\n")
    else:
        for (name, _), answer in zip(questions, answers, strict=True):
            told((f"{name}\n" if len(questions) > 1 else "") + "".join(map(_line, answer)))
    return console.DONE if found else console.NOTHING_FOUND


def _read(name: str) -> bytes | None:
    if name == "-":
        return sys.stdin.buffer.read()
    return Path(name).read_bytes() if Path(name).is_file() else None


def _line(pair: Pair) -> str:
    shares = (pair.resemblance, pair.containment_left, pair.containment_right)
    return "".join(f"{share:7.1%} " for share in shares) + f" {pair.right}\n"
