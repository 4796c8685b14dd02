"""Targets for what reads files and answers clients: sources, formats, indexes, runs, MOSS and REST."""

from __future__ import annotations

import asyncio
import io
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from copysift.errors import CopysiftError
from copysift.kinds import notebook
from copysift.kinds.catalog import languages
from copysift.kinds.language import parse
from copysift.kinds.lextable import compiled
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runtime.encoding import detect_encoding, looks_binary, to_utf8, transcode
from copysift.runtime.registry import SOURCES, built_in
from copysift.sources.fields import Fields
from copysift.sources.globs import Globs
from copysift.sources.inputs import documents_in
from copysift.sources.record_readers import read
from copysift.sources.source import source

TEXT = "the quick brown fox jumps over the lazy dog and runs away through the high grass " * 9


def _suffixes() -> list[str]:
    """Give one suffix or more of every source and format."""
    return sorted(
        {suffix for name in built_in(SOURCES) for suffix in source(name).traits.suffixes[:2]} | {""}
    )


SUFFIXES = _suffixes()
FORMS = ("jsonl", "csv", "tsv", "lines", "parquet", "arrow", "warc")


def sources(data: bytes) -> None:
    """Any bytes under a name of every source: documents, or named skips."""
    name = f"file{SUFFIXES[data[0] % len(SUFFIXES)]}" if data else "file"
    for found in documents_in(name, data[1:], 30.0 if len(data) % 16 == 0 else None):
        assert isinstance(found, Document | Skipped)
        assert found.name.startswith("file")
        if isinstance(found, Document):
            b"".join(found.content.chunks())


def records(data: bytes) -> None:
    """Files of records in every form."""
    form = FORMS[data[0] % len(FORMS)] if data else "lines"
    try:
        for batch in read(form, f"x.{form}", io.BytesIO(data[1:]), Fields(), 1 << 16):
            if not isinstance(batch, Skipped):
                batch.validate(full=True)
    except CopysiftError:
        pass


def encoding(data: bytes) -> None:
    """Text in any encoding, whole and in chunks."""
    looks_binary(data)
    whole, found = to_utf8(data)
    if found is not None and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        detect_encoding(data)
    chunks = [data[at : at + 7] for at in range(0, len(data), 7)]
    made = b"".join(transcode(iter(chunks), found or "utf-8"))
    assert found in (None, "utf-8") or made == whole
    notebook.readable(data)


def globs(data: bytes) -> None:
    """Patterns of files, and paths."""
    pattern, _, path = data.decode("utf-8", "replace").partition("\n")
    try:
        wanted = Globs([pattern])
    except CopysiftError:
        return
    folder, _, name = path.rpartition("/")
    wanted.matches(f"{folder}/", name, folder=False)


def language_file(data: bytes) -> None:
    """Rules of a language."""
    with suppress(CopysiftError):
        compiled(
            parse(data.decode("utf-8", "replace"), "x.toml", lambda name: languages().find(name).language)
        )


# ---- an index and a run that somebody wrote to


@cache
def _made(what: str) -> tuple[str, dict[str, bytes]]:
    """Make an index or a run; give its folder and its files."""
    import copysift

    top = tempfile.mkdtemp(prefix="copysift-fuzz-")
    folder = f"{top}/made"
    texts = {f"{at}.txt": TEXT.replace("fox", f"fox{at}") for at in range(5)}
    if what == "index":
        with copysift.Index(folder, keep_text=True) as index:
            index.add([Document.of(name, text) for name, text in texts.items()])
    else:
        (Path(top) / "in").mkdir()
        for name, text in texts.items():
            (Path(top) / "in" / name).write_text(text)
        copysift.cluster(f"{top}/in", run=folder)
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return folder, {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _edited(what: str, data: bytes) -> str:
    """Put the folder down with one file changed: bytes overwritten, put in, taken out, or its end cut off."""
    folder, files = _made(what)
    shutil.rmtree(folder)
    names = sorted(files)
    data = data.ljust(6, b"\0")
    chosen, how = names[data[0] % len(names)], data[1] % 4
    for name, content in files.items():
        if name == chosen:
            at = int.from_bytes(data[2:6], "little") % (len(content) + 1)
            body = data[6:]
            tail = {0: content[at + len(body) :], 1: content[at:], 2: content[at + 9 :], 3: b""}[how]
            content = content[:at] + body + tail
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


def index(data: bytes) -> None:
    """An index with a damaged or forged file: it answers, or says what is wrong."""
    import copysift

    folder = _edited("index", data)
    for ask in (
        lambda found: found.check(),
        lambda found: list(found.query(TEXT.encode())),
        lambda found: list(found.documents()),
    ):
        try:
            with copysift.Index(folder) as found:
                ask(found)
        except CopysiftError:
            pass


def run(data: bytes) -> None:
    """A run with a damaged or forged file."""
    import copysift

    folder = _edited("run", data)
    try:
        found = copysift.Run(folder)
        list(found.pairs)
        list(found.clusters)
    except CopysiftError:
        pass


# ---- clients


def moss(data: bytes) -> None:
    """A conversation of a MOSS client, in pieces of any size."""
    from copysift.serve.moss_protocol import Conversation, Failed, MossLimits, Reply, Submitted

    talk = Conversation(
        MossLimits(files=20, file_bytes=500, total_bytes=2000), lambda name: name != "klingon"
    )
    step = 1 + data[0] % 37 if data else 1
    for at in range(1, len(data), step):
        for event in talk.receive(data[at : at + step]):
            if isinstance(event, Submitted):
                talk.answer("http://x/1")
            if isinstance(event, Reply):
                assert event.data.endswith(b"\n")
            if isinstance(event, Failed):
                assert talk.over
                assert event.reply.count(b"\n") == 1
    talk.finish()
    assert talk.over or talk.waiting


@cache
def _application() -> Callable[..., Any]:
    from copysift.serve import server
    from copysift.serve.app import make_app
    from copysift.serve.config import Config
    from copysift.serve.jobs import Jobs
    from copysift.serve.limits import Limits
    from copysift.serve.workers import Workers
    from copysift.settings.server import ServeOptions

    data = Path(tempfile.mkdtemp(prefix="copysift-fuzz-")) / "data"
    settings = ServeOptions(data=str(data))
    server.lock(data)
    jobs = Jobs(data, Limits.of(settings))
    config = Config.of(settings, guarded=False)
    return make_app(server._state(config, jobs, Workers(jobs, 1), 8690))


_LOOP = asyncio.new_event_loop()


def rest(data: bytes) -> None:
    """A request: method, path and query, headers, an empty line, a body. No answer is a 500."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, address = first.partition(b" ")
    path, _, query = address.partition(b"?")
    headers = [tuple(line.partition(b": ")[::2]) for line in lines if b": " in line]
    headers = [(name.lower(), value) for name, value in headers]
    known = {name for name, _ in headers}
    headers += [(b"host", b"127.0.0.1:8690")] if b"host" not in known else []
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": method.decode("latin-1") or "GET", "path": path.decode("utf-8", "replace") or "/",
        "raw_path": path, "query_string": query, "headers": headers, "client": ("127.0.0.1", 9),
        "server": ("127.0.0.1", 8690), "root_path": "",
    }  # fmt: skip
    status: list[int] = []
    sent = False

    async def receive() -> dict[str, Any]:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            status.append(message["status"])

    _LOOP.run_until_complete(asyncio.wait_for(_application()(scope, receive, send), 30))
    assert status, first
    assert status[0] < 500, (status, first)


PROGRAM = {
    function.__name__: function
    for function in (sources, records, encoding, globs, language_file, index, run, moss, rest)
}
