"""`copysift query`: one against all, of an index or of a run (section 6.1)."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, declared, of_class, options, values_from
from copysift.cli.reporting import chosen, must_exist, write
from copysift.errors import UsageError
from copysift.model.answers import Answer
from copysift.model.values import Pair, Skipped
from copysift.report.format import format_of
from copysift.settings.comparison import Settings
from copysift.settings.index import Query
from copysift.settings.output import Door
from copysift.settings.parsing import secret
from copysift.sources.places import is_file, is_folder, is_uri

if TYPE_CHECKING:
    from collections.abc import Iterator

    from copysift.sources.source import Reading
    from copysift.workflows.run_query import RunLookup

LIST = "list"  # the format of the old --json: a list of pairs
HEAD = "resemblance  of query  of document  document\n"
OF_A_RUN = (
    "threshold", "measure", "limit", "seed", "seed_file", "query_text", "format", "output", "quiet",
    "verbose", "color", "records", "no_containers", "input_format", "max_bytes_per_file",
    "max_seconds_per_file",
)  # fmt: skip


@click.command("query", cls=SectionedCommand)
@click.argument("place", metavar="INDEX|RUN")
@click.argument("names", nargs=-1, metavar="FILE|ID...")
@options("query")
def command(place: str, names: tuple[str, ...], **given: object) -> int:
    """Find documents that share text with a file.

    FILE may be - for standard input. A run of 'copysift cluster' can also be queried for one of its
    documents by ID. The best matches come first.
    """
    values = values_from("query", given)
    query, door = of_class(Query, values, "query"), of_class(Door, values, "query")
    if given.get("measure") == "containment" and not door.quiet:
        console.note(
            "--measure containment is now the larger of the two; --measure containment-left is what it was"
        )
    if not names and not door.query_text:
        raise UsageError("nothing to look up", hint="name files, - for standard input, or add --text")
    if _is_run(place) and not door.server:
        return _query_run(place, names, values, query, door)
    return _query_index(place, names, values, query, door)


def _is_run(word: str) -> bool:
    # Not Path.is_file, which raises for a word that is too long for a name.
    return os.path.isfile(os.path.join(word, "run.json"))  # noqa: PTH113, PTH118


def _query_index(
    place: str, names: tuple[str, ...], values: dict[str, object], query: Query, door: Door
) -> int:
    form = chosen("query", door) if door.format or not door.null else "names"
    if door.server:
        from copysift.cli.remote import query_there

        answer, sources = query_there(place, names, values, query, door, form)
        _show(answer, form, door, sources)
        console.name_skipped(answer.skipped, every=bool(door.verbose))
        return console.status(bool(answer.hits), answer.skipped)
    must_exist(place)
    if names and "-" not in names and not door.query_text:
        from copysift.workflows.submissions import check_paths

        check_paths(names)
    with opened({**values, "index": place}, Query) as store:
        questions, skipped = [], []
        for name in names:
            if name == "-":
                questions.append(store.question(sys.stdin.buffer.read(), asked=query))
                continue
            for found in store.questions(name, query):
                if isinstance(found, Skipped):
                    skipped.append(found)
                else:
                    questions.append(found)
        questions += [
            store.question(text, text=True, name=_named(text), asked=query) for text in door.query_text
        ]
        passages = (form == "json" and not door.no_regions) or bool(door.passages)
        answer = store.answer(questions, query, passages=passages, skipped=skipped)
        skipped = list(answer.skipped)
        short = [] if door.quiet else store.too_short(questions)
        sources = {part.name: part.source for question in questions for part in question.parts}
    console.name_skipped(skipped, every=bool(door.verbose))
    console.name_notes(answer.notes, door)
    for name, guarantee in short:
        console.note(f"{name} is shorter than the guarantee threshold ({guarantee}): matches may be missed")
    _show(answer, form, door, sources)
    return console.status(bool(answer.hits), skipped)


def _named(text: str) -> str:
    words = " ".join(text.split())
    return f"“{words[:40]}…”" if len(words) > 41 else f"“{words}”"


def _show(answer: Answer, form: str, door: Door, sources: dict[str, bytes]) -> None:
    from copysift.report import hits
    from copysift.report.view import View

    view = View(
        passages=door.passages or 0,
        whole=door.whole,
        width=console.width(door),
        color=console.color(door),
        quiet=door.quiet,
        source=lambda name, start, end: sources.get(name, b"")[start:end],
    )
    report = hits.names if form == "names" else format_of(form).writer("query")
    write(report(answer, view), door)


# ---- a run


def _query_run(
    place: str, names: tuple[str, ...], values: dict[str, object], query: Query, door: Door
) -> int:
    known = declared("query")
    idle = [known[name].flags[-1] for name in values if name not in OF_A_RUN]
    if idle:
        raise UsageError(
            f"{', '.join(idle)} has no effect on a run, which reads and measures as it did when it was made",
            hint="leave it out, or query an index",
        )
    form = LIST if door.format == LIST else chosen("query", door)
    if form == "sif":
        raise UsageError("a run cannot be shown as sif", hint="choose table, json or csv")
    console.check_output(door)
    from copysift.report.view import View
    from copysift.workflows.run_query import RunLookup

    asked = RunLookup(Path(place), secret("seed", values.get("seed", 0)))
    from copysift.workflows.submissions import reading_of

    reading = reading_of(of_class(Settings, values, "query"))
    questions: list[tuple[str, bytes | None]] = []
    skipped: list[Skipped] = []
    for name in names:
        if name == "-" or _is_read(name, asked):
            for found in _read(name, reading):
                skipped.append(found) if isinstance(found, Skipped) else questions.append(found)
        else:
            questions.append((name, None))
    console.name_skipped(skipped, every=bool(door.verbose))
    questions += [(" ".join(text.split())[:40], text.encode()) for text in door.query_text]
    limit = query.limit or None
    if form in ("json", "csv"):
        given = [asked.answer(text, name, query.cut, limit, query.measure) for name, text in questions]
        queries, hits = zip(*given, strict=True) if given else ((), ())
        limits: dict[str, object] = {"threshold": query.cut, "measure": query.measure, "limit": limit}
        answer = Answer(limits, queries, tuple(chain.from_iterable(hits)), tuple(skipped))
        write(format_of(form).writer("query")(answer, View()), door)
        return console.status(bool(answer.hits), skipped)
    answers = [asked.query(text, name, query.cut, limit, query.measure) for name, text in questions]
    pairs = [pair for each in answers for pair in each]
    if form == LIST:
        console.write(json.dumps([asdict(pair) for pair in pairs], ensure_ascii=False) + "\n", door)
    else:
        blocks = [
            _block(name, each, door, titled=len(questions) > 1)
            for (name, _), each in zip(questions, answers, strict=True)
        ]
        console.write("".join([HEAD, *blocks] if pairs else blocks), door)
    return console.status(bool(pairs), skipped)


def _is_read(name: str, asked: RunLookup) -> bool:
    """Say whether a word is a place to read, not the ID of a document.

    A file is always read, a folder or an address only if the run does not know it as an ID.
    """
    if is_uri(name):  # opened only if it must be: many IDs are addresses, and the web needs another package
        return not asked.has(name) and (is_file(name) or is_folder(name))
    return is_file(name) or (is_folder(name) and not asked.has(name))


def _read(name: str, reading: Reading) -> Iterator[tuple[str, bytes | None] | Skipped]:
    """Give the documents in a file or below a folder: of a container, an index or records all of them."""
    if name == "-":
        yield name, sys.stdin.buffer.read()
        return
    from copysift.model.document import Document
    from copysift.sources.files import load
    from copysift.sources.inputs import Inputs

    for each in Inputs(reading).documents([name]):
        loaded = load(each) if isinstance(each, Document) else each
        yield loaded if isinstance(loaded, Skipped) else (loaded.name, b"".join(loaded.content.chunks()))


def _block(name: str, pairs: list[Pair], door: Door, *, titled: bool) -> str:
    from copysift.report.wording import spelled

    if not pairs:
        return "" if door.quiet else f"{spelled(name)}: 0 documents\n"
    return (f"{spelled(name)}\n" if titled else "") + "".join(map(_line, pairs))


def _line(pair: Pair) -> str:
    shares = (pair.resemblance, pair.containment_left, pair.containment_right)
    return "{:11.1%}  {:8.1%}  {:11.1%}  ".format(*shares) + f"{pair.right}\n"
