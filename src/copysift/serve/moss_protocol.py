"""The conversation of a MOSS client, as a state machine without I/O: bytes in, events out.

    client: moss USERID / directory 0|1 / X 0|1 / maxmatches M / show N / language LANG
    server: yes            (or no: unknown language)
    client: file ID LANG BYTES NAME  then exactly BYTES raw bytes      ID 0 = base file
    client: query 0 COMMENT
    server: URL of the result
    client: end

Lines end in LF. An unknown user gets `yes` too, and the reason as the answer to the query: clients print that
answer, whereas after `no` all of them say that the language is wrong. A client that got `no` may upload all
the same (mosspy on Python 3 does). The files of either are read, counted against the limits and thrown away.
Whatever breaks a rule ends the conversation with one line that says which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto


@dataclass(frozen=True, slots=True)
class MossLimits:
    """What one conversation may cost; `lines` counts all lines that are not the head of a file."""

    line: int = 4096
    lines: int = 64
    files: int = 20_000
    file_bytes: int = 20_000_000
    total_bytes: int = 200_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """What a client requested; the defaults are those of the classic client."""

    user: str = ""
    directory: bool = False
    experimental: bool = False
    maxmatches: int = 10
    show: int = 250
    language: str = "c"


@dataclass(frozen=True, slots=True)
class Reply:
    """Bytes to send."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Refused:
    """The client is not served; its files are thrown away and its query is answered by `reason`."""

    reason: str


@dataclass(frozen=True, slots=True)
class FileBegins:
    """A file of `size` bytes follows; `name` is as the client sent it, bytes that are not UTF-8 escaped."""

    name: str
    size: int
    base: bool


@dataclass(frozen=True, slots=True)
class FileData:
    """A piece of the file that was begun last."""

    data: bytes


@dataclass(frozen=True, slots=True)
class FileEnds:
    """The file that was begun last is whole."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """Everything is there: make the result and give its address to `Conversation.answer`."""

    options: Options
    comment: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The client said goodbye, or left after its answer; nothing more is read."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The conversation is over: throw away what came. `reply` is the line to send before closing."""

    reason: str
    reply: bytes


Event = Reply | Refused | FileBegins | FileData | FileEnds | Submitted | Ended | Failed


class _State(Enum):
    GREETING = auto()  # expects `moss USERID`
    OPTIONS = auto()  # expects options, then `language`
    FILES = auto()  # expects `file` or `query`
    BODY = auto()  # inside the bytes of a file
    QUERIED = auto()  # the result is being made
    ANSWERED = auto()  # expects `end`
    OVER = auto()


class _BrokenError(Exception):
    """Raised inside when a rule is broken; the message is for the client."""


@dataclass(slots=True)
class Conversation:
    """One connection; feed it with `receive`, end it with `finish`."""

    limits: MossLimits = field(default_factory=MossLimits)
    knows_language: Callable[[str], bool] = lambda language: True
    knows_user: Callable[[str], bool] = lambda user: True

    _state: _State = _State.GREETING
    _options: dict[str, object] = field(default_factory=dict)
    _buffer: bytearray = field(default_factory=bytearray)
    _refusal: str = ""  # why the client is not served
    _left: int = 0  # bytes of the file that are still to come
    _files: int = 0
    _submissions: int = 0
    _bytes: int = 0
    _lines: int = 0

    @property
    def over(self) -> bool:
        """Whether nothing more is to be read."""
        return self._state is _State.OVER

    @property
    def user(self) -> str:
        """The user that the client says it is."""
        return str(self._options.get("user", ""))

    @property
    def waiting(self) -> bool:
        """Whether the client waits for its answer."""
        return self._state is _State.QUERIED

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes and give what they mean."""
        if self.over:
            return []
        self._buffer += data
        events: list[Event] = []
        try:
            while self._state is not _State.OVER and self._step(events):
                pass
        except _BrokenError as broken:
            events.append(self._fail(str(broken)))
        return events

    def finish(self) -> list[Event]:
        """Take note that the client sends nothing more."""
        if self._state in (_State.OVER, _State.QUERIED):
            return []  # a client that half-closes after its query still gets the answer
        if self._state is _State.ANSWERED:
            self._state = _State.OVER
            return [Ended()]
        if self._state is _State.BODY:
            return [self._fail(f"the connection ended {self._left} bytes before the end of a file")]
        return [self._fail("the connection ended before the query")]

    def fail(self, reason: str) -> list[Event]:
        """End the conversation for a reason of the server's: time, space, a limit of the user."""
        return [] if self.over else [self._fail(reason)]

    def answer(self, line: str) -> list[Event]:
        """Give the client the address of its result, and take what it has sent meanwhile."""
        if self._state is not _State.QUERIED:
            return []
        self._state = _State.ANSWERED
        return [Reply(_line(line)), *self.receive(b"")]

    def _fail(self, reason: str) -> Failed:
        self._state = _State.OVER
        self._buffer.clear()
        return Failed(reason, _line(f"Error: {reason}"))

    def _step(self, events: list[Event]) -> bool:
        """Take one thing from the buffer; give whether there may be another."""
        if self._state is _State.BODY:
            return self._take_body(events)
        if self._state is _State.QUERIED:
            if len(self._buffer) > self.limits.line:
                raise _BrokenError("nothing but `end` may follow a query")
            return False
        end = self._buffer.find(b"\n")
        if end > self.limits.line or (end < 0 and len(self._buffer) > self.limits.line):
            raise _BrokenError(f"a line is longer than {self.limits.line} bytes")
        if end < 0:
            return False
        line = bytes(self._buffer[:end]).removesuffix(b"\r").decode("utf-8", "surrogateescape")
        del self._buffer[: end + 1]
        self._take_line(line, events)
        return True

    def _take_body(self, events: list[Event]) -> bool:
        piece = bytes(self._buffer[: self._left])
        del self._buffer[: len(piece)]
        self._left -= len(piece)
        if piece and not self._refusal:
            events.append(FileData(piece))
        if self._left:
            return False
        self._state = _State.FILES
        if not self._refusal:
            events.append(FileEnds())
        return True

    def _take_line(self, line: str, events: list[Event]) -> None:
        word, _, rest = line.partition(" ")
        if word == "file" and self._state is _State.FILES:
            self._begin_file(rest, events)
            return
        self._lines += 1
        if self._lines > self.limits.lines:
            raise _BrokenError(f"more than {self.limits.lines} lines")
        if word == "end":
            self._state = _State.OVER
            events.append(Ended())
        elif self._state is _State.GREETING:
            if word != "moss":
                raise _BrokenError("expected `moss USERID` as the first line")
            self._options["user"] = rest.strip()
            self._state = _State.OPTIONS
        elif self._state is _State.OPTIONS:
            self._take_option(word, rest.strip(), events)
        elif self._state is _State.FILES and word == "query":
            self._query(rest, events)
        else:
            raise _BrokenError(f"`{_shown(word)}` is not expected here")

    def _take_option(self, word: str, value: str, events: list[Event]) -> None:
        switches = {"directory": "directory", "X": "experimental"}
        numbers = {"maxmatches": "maxmatches", "show": "show"}
        if word in switches:
            self._options[switches[word]] = _number(word, value) != 0
        elif word in numbers:
            self._options[numbers[word]] = _number(word, value)
        elif word == "language":
            self._options["language"] = value
            known = self.knows_language(value)
            if not known:
                self._refusal = f"this server has no language `{_shown(value)}`"
            elif not self.knows_user(self.user):
                self._refusal = f"this server does not know the user `{_shown(self.user)}`"
            if self._refusal:
                events.append(Refused(self._refusal))
            events.append(Reply(b"yes\n" if known else b"no\n"))
            self._state = _State.FILES
        else:
            raise _BrokenError(f"`{_shown(word)}` is not expected here")

    def _begin_file(self, rest: str, events: list[Event]) -> None:
        parts = rest.split(" ", 3)
        if len(parts) < 4 or not parts[3].strip():
            raise _BrokenError("a file needs ID, language, number of bytes and name")
        number, size = _number("file ID", parts[0]), _number("file BYTES", parts[2])
        self._files += 1
        self._bytes += size
        if self._files > self.limits.files:
            raise _BrokenError(f"more than {self.limits.files} files")
        if size > self.limits.file_bytes:
            raise _BrokenError(f"a file is larger than {self.limits.file_bytes} bytes")
        if self._bytes > self.limits.total_bytes:
            raise _BrokenError(f"the files together are larger than {self.limits.total_bytes} bytes")
        self._submissions += number != 0
        self._left = size
        self._state = _State.BODY
        if not self._refusal:
            events.append(FileBegins(parts[3].strip(), size, number == 0))

    def _query(self, rest: str, events: list[Event]) -> None:
        if self._refusal:
            raise _BrokenError(self._refusal)
        if not self._submissions:
            raise _BrokenError("nothing to compare: no file was sent")
        _, _, comment = rest.partition(" ")
        self._state = _State.QUERIED
        events.append(Submitted(Options(**self._options), comment.strip()))  # type: ignore[arg-type]


def _number(what: str, digits: str) -> int:
    if not digits.isascii() or not digits.isdigit() or len(digits) > 12:
        raise _BrokenError(f"`{what}` needs a number, and got `{_shown(digits)}`")
    return int(digits)


def _shown(word: str) -> str:
    """Give a client's word as it may be in a line of ours."""
    printable = "".join(c if c.isprintable() and c != "`" else "?" for c in word)
    return printable[:40] + ("…" if len(printable) > 40 else "")


def _line(text: str) -> bytes:
    return text.replace("\n", " ").encode("utf-8", "replace") + b"\n"
