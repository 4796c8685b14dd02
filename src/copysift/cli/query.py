"""`copysift query`: one against all."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.runtime import registry
from copysift.settings.comparison import Door
from copysift.settings.declaration import settings_of
from copysift.settings.index import Query


@click.command("query", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--text", "texts", multiple=True, metavar="TEXT", help="Ask for a text; may be repeated.")
@click.option(
    "--as", "language", default="", metavar="LANGUAGE",
    help="Standard input and --text are programs of this language, and INDEX has programs.",
)  # fmt: skip
@options("query")
def command(
    index: str, files: tuple[str, ...], texts: tuple[str, ...], language: str, **given: object
) -> int:
    """Find the documents of INDEX that share enough with each FILE (- is standard input), best first."""
    values = values_from("query", given)
    query, door = of_class(Query, values), of_class(Door, values)
    chosen = _format(door)
    if not files and not texts:
        raise UsageError("nothing to ask for", hint="name files, - for standard input, or give --text")
    if door.server:
        if language:
            raise UsageError("--as cannot be sent to a server", hint="send a file with a name")
        from copysift.cli.remote import query_there

        answer, sources = query_there(index, files, texts, values, door, chosen)
        _show(answer, chosen, door, sources)
        console.name_skipped(answer.skipped)
        return console.status(bool(answer.hits), answer.skipped)
    _must_be(Path(index))
    of_the_index = {name: value for name, value in values.items() if name not in settings_of(Query)}
    with opened({**of_the_index, "index": index}) as store:
        questions, skipped = [], []
        for name in files:
            if name == "-":
                questions.append(store.question(sys.stdin.buffer.read(), language=language))
                continue
            for asked in store.questions(name):
                if isinstance(asked, Skipped):
                    skipped.append(asked)
                else:
                    questions.append(asked)
        questions += [store.question(text, text=True, name=_named(text), language=language) for text in texts]
        passages = chosen == "json" or bool(door.passages)
        answer = store.answer(questions, query, passages=passages, skipped=skipped)
        skipped += [Skipped(damage.where, damage.what) for damage in store.damages]
        short = [] if door.quiet else store.too_short(questions)
        sources = {question.name: question.source for question in questions}
    console.name_skipped(skipped)
    for name, guarantee in short:
        console.note(
            f"{name} is shorter than the guarantee threshold ({guarantee}): what it shares may be missed"
        )
    _show(answer, chosen, door, sources)
    return console.status(bool(answer.hits), skipped)


def _named(text: str) -> str:
    words = " ".join(text.split())
    return f"“{words[:40]}…”" if len(words) > 41 else f"“{words}”"


def _must_be(path: Path) -> None:
    from copysift.store.snapshot import Snapshot, exists

    if not exists(path):
        Snapshot(path)


def _format(door: Door) -> str:
    from copysift.cli.scan import SUFFIXES

    named = door.format or SUFFIXES.get(Path(door.output).suffix.lower(), "")
    if not named:
        return "names" if door.null else "table"
    formats = ("table", "json", "csv", "sif")
    if named not in formats:
        registry.check(registry.REPORTS, named)
        raise UsageError(f"query has no report format {named!r}", hint=f"choose one of {', '.join(formats)}")
    return named


def _show(answer: object, chosen: str, door: Door, sources: dict[str, bytes]) -> None:
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
    console.write(hits.FORMATS[chosen](answer, view), door)  # type: ignore[arg-type]
