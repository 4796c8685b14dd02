"""Which kind a document is read as: by its content, or as the settings say."""

from __future__ import annotations

from functools import cached_property

from copysift.errors import UsageError
from copysift.kinds import Languages, languages, notebook, webpage
from copysift.kinds.choice import (
    chosen_kind,
    detect_language,
    kind_among_texts,
    kind_by_magic,
    kind_of_binary,
    kind_of_suffix,
    kind_of_text,
    may_have_magic,
)
from copysift.kinds.kind import CODE, TEXT, channel_of
from copysift.model.traits import is_raw, kind_traits
from copysift.runtime.encoding import SAMPLE, detect_encoding
from copysift.settings.comparison import Settings


class DocumentKinds:
    """Chooses the kind of each document, never by its neighbours."""

    def __init__(self, settings: Settings, programs: str = "both") -> None:
        self._settings = settings
        self._by_suffix: dict[str, str] = {}
        self._programs = programs  # both, or as in an index of version 0.1: text only, or code only
        if settings.language or settings.language_file:  # refused before anything is read
            chosen_kind(settings.language or "ascii", self.languages)

    @cached_property
    def languages(self) -> Languages:
        """The languages that are known; a query of a text starts faster without them."""
        return languages().with_files(self._settings.language_file)

    def readings(self, kind: str) -> tuple[str, ...]:
        """Give the kinds that a document is fingerprinted as: a program as text and by its tokens.

        One for each channel, that of texts first. Where a kind or a language is wanted, that alone.
        """
        settings = self._settings
        both = self._programs == "both" and settings.kind == "auto" and not settings.language
        if both and kind == "html" and settings.reads_pages_as_programs:
            return kind, webpage.KIND  # the work is in the script and the style, not in the words
        return (TEXT, kind) if both and channel_of(kind) == CODE else (kind,)

    def plain_kind(self, name: str, text: bytes) -> str:
        """Give the kind of a file that is surely a text in UTF-8."""
        asked = self._settings.kind
        if is_raw(asked):
            return asked
        dot = name.rfind(".")
        if dot > 0 and name[dot - 1] not in "/\\" and not may_have_magic(text):
            known = self._by_suffix.get(name[dot:])
            if known is None:
                known = self._by_suffix[name[dot:]] = self._kind_of_suffix(name)
            if known:
                return known
        return self._text_kind(name, text[:SAMPLE])

    def _kind_of_suffix(self, name: str) -> str:
        """Give the kind of texts with the suffix of a name; "" where it is not all that counts."""
        settings = self._settings
        if settings.kind != "auto" or settings.language or self._programs == "text":
            return ""
        if not name[name.rfind(".") + 1 :]:
            return ""
        return kind_of_suffix(name, self.languages, settings.reads_pages_as_programs)

    def kind_of(self, data: bytes, name: str = "") -> str:
        """Give the kind of some content in memory, that may have a name; a notebook stays text there."""
        kind = self._kind(name, data[:SAMPLE])
        return "text" if kind == notebook.KIND else kind

    def kind_in(self, language: str) -> str:
        """Give the kind of a program whose language is named instead of a file name."""
        kind = chosen_kind(language, self.languages)
        if self._settings.language and chosen_kind(self._settings.language, self.languages) != kind:
            raise UsageError(f"the programs are in {self._settings.language}, not in {language}")
        asked = self._settings.language or self._settings.kind == "code"
        if not asked and (self._programs == "text" or self._settings.kind != "auto"):
            raise UsageError(
                f"nothing is compared as {language}: programs were read as {self._kind_of_programs()}",
                hint="leave the language out",
            )
        return kind

    def _kind_of_programs(self) -> str:
        return "text" if self._settings.kind == "auto" else self._settings.kind

    def _kind(self, name: str, head: bytes) -> str:
        encoding = detect_encoding(head)
        if encoding is None and self._settings.kind != "text":
            return self._binary_kind(name, head)
        if encoding not in (None, "utf-8"):
            head = head.decode(encoding or "utf-8", "replace").encode("utf-8", "replace")
        return self._text_kind(name, head)

    def _binary_kind(self, name: str, head: bytes) -> str:
        return kind_of_binary(name, head) if self._settings.kind == "auto" else "bytes"

    def _text_kind(self, name: str, head: bytes) -> str:
        wanted, language = self._settings.kind, self._settings.language
        if language or wanted == "code":
            chosen = language or detect_language(name, head, self.languages)
            return chosen_kind(chosen, self.languages) if chosen else "text"
        if wanted == "auto":
            if self._programs == "text":
                return kind_among_texts(name, head, lambda: self.languages)
            return kind_of_text(name, head, lambda: self.languages, self._settings.reads_pages_as_programs)
        if kind_traits(wanted).magic:  # other files cannot be read as this
            return kind_by_magic(head) or "text"
        return "html-words" if wanted == "words" and kind_of_text(name, head) == "html" else wanted
