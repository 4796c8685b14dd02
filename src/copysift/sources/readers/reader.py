"""What the readers of document formats share: limits, failures, and how a text becomes a document.

A reader is a source that gives the document itself, as text. It says how its files are known (`known.py`
has the first bytes and suffixes of all of them, so that no other file loads a reader), which extra it
needs, and whether it runs in a separate process: libraries in C that parse hostile input do. A reader that
is `in_place` overwrites markup in a text, so that offsets are those of the file; all others give a text of
their own, which is what reports show.
"""

from __future__ import annotations

import hashlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace

from copysift.errors import InputError
from copysift.model.document import INSIDE, Document, Hint, Memory
from copysift.model.values import DAMAGED, LIMIT, Skipped
from copysift.runtime.encoding import to_utf8
from copysift.sources.container_limits import BROKEN, Budget, LimitReachedError
from copysift.sources.container_paths import Names, safe_name
from copysift.sources.opening import why

# What `extract` takes and gives: a reader imports all that it needs from here.
from copysift.sources.readers.extraction import SECONDS
from copysift.sources.readers.extraction import Extracted as Extracted
from copysift.sources.readers.extraction import Member as Member
from copysift.sources.readers.extraction import TextLimits as TextLimits
from copysift.sources.readers.extraction import UnreadableError as UnreadableError
from copysift.sources.readers.known import RAW, magic_of, reader_name, suffixes_of
from copysift.sources.readers.process import extract_apart
from copysift.sources.source import ITSELF, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

# What libraries raise on documents that are damaged or were made to break them.
DEFECTS: tuple[type[Exception], ...] = (
    *BROKEN, KeyError, TypeError, AttributeError, AssertionError, LookupError, UnicodeError,
)  # fmt: skip
DIGEST = 16  # bytes of a checksum, as of files


class TextReader(WholeSource, ABC):
    """Gives a document as its text; a format is a subclass with a definition and `extract`."""

    traits: SourceTraits
    says: str  # how a document was read, as people read it
    library = ""  # a module that must be installed; its distribution is in the extra
    separate = False  # always runs in a watched process, with limits on time and memory
    in_place = False  # the text has the length of the file
    or_raw = False  # a file that cannot be read is compared as raw bytes

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is of this format."""
        if head.startswith(b"PK\3\4"):  # a zip, whose table of contents says more
            return name.lower().endswith(self.traits.suffixes)
        return reader_name(name, head) == self.traits.name

    @abstractmethod
    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text of a document; raise UnreadableError where it has none.

        What is unpacked on the way is counted by `budget`. In a separate process nothing but `data`
        and `limits` is the caller's.
        """

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the document as its text, and its members; or say why it has none."""
        raw = reading.binary and self.traits.gives == ITSELF
        if raw or (self.in_place and not reading.blank):
            yield outer
            return
        if self.in_place and outer.size > reading.limits.member_bytes:
            largest = f"larger than {reading.limits.member_bytes:,} bytes"
            yield replace(outer, read_as=f"plain text: {largest}, so its markup counts, too")
            return
        budget = reading.budget_of(outer)
        limits = TextLimits(reading.limits.member_bytes, reading.max_seconds or SECONDS)
        apart = self.separate or reading.max_seconds is not None  # what must end in time is watched
        reason, code = "", DAMAGED
        try:
            reason = self._missing(outer, limits)
            if not reason:
                yield from self._documents(outer, limits, budget, apart)
        except UnreadableError as error:
            reason = str(error)
        except LimitReachedError as error:
            if self.traits.gives != ITSELF:
                raise
            reason, code = f"{error}; its text was not read", LIMIT
        except MemoryError:
            reason, code = "needs more memory than there is; its text was not read", LIMIT
        except InputError as error:
            reason = error.message.removeprefix(f"{outer.name}: ")
        except RecursionError:
            reason, code = "is nested too deeply; its text was not read", LIMIT
        except OSError as error:
            reason = why(error)
        except DEFECTS:
            reason = "is damaged; its text was not read"
        if reason and self.or_raw:
            yield replace(outer, read_as=f"{RAW}: {reason.replace('was not compared: ', '')}")
        elif reason:
            yield Skipped(outer.name, reason, code)

    def _missing(self, outer: Document, limits: TextLimits) -> str:
        if outer.size > limits.text_bytes:
            return f"is larger than {limits.text_bytes:,} bytes; its text was not read"
        if self.library and importlib.util.find_spec(self.library) is None:
            return (
                f"was not compared: {self.traits.description} need the package {self.library}; "
                f"pip install 'copysift[{self.traits.extra}]'"
            )
        return ""

    def _documents(
        self, outer: Document, limits: TextLimits, budget: Budget, apart: bool
    ) -> Iterator[Document]:
        data = b"".join(outer.content.chunks())
        original = outer.original or hashlib.blake2b(data, digest_size=DIGEST).digest()
        if self.in_place:
            data = to_utf8(data)[0]
        if apart:
            found = extract_apart(self.traits.name, data, limits, budget)
        else:
            found = self.extract(data, limits, budget)
        says = f"{self.says}, {found.detail}" if found.detail else self.says
        if found.text is not None:
            if len(found.text) > limits.text_bytes:
                raise LimitReachedError(f"has more than {limits.text_bytes:,} bytes of text")
            budget.unpack(len(found.text))
            size = None if self.in_place else outer.size
            yield replace(outer, content=Memory(found.text), read_as=says, original=original, file_size=size)
        names = Names()
        for member in found.members:
            budget.member()
            budget.unpack(len(member.data))
            name = names.take(safe_name(member.name) or "unnamed")
            yield Document(
                f"{outer.name}{INSIDE}{name}", Memory(member.data), Hint(f"{outer.file}/{name}"),
                read_as=member.read_as or f"file in {self.says}",
            )  # fmt: skip


def definition(name: str, description: str, *, extra: str = "", gives: str = ITSELF) -> SourceTraits:
    """Give the traits of a built-in reader: how its files are known is in `known.py`."""
    return SourceTraits(name, description, gives, magic_of(name), suffixes_of(name), extra, raw=False)
