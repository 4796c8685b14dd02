"""Tokens of Pygments from a watched process: its lexers are expressions that some texts hold for ever.

The process runs this module. A request names a lexer by alias or by a file name; an answer has the types
that occur, and for each token its type and length, which is cheaper than a list of tokens as JSON.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

from copysift.runtime.timing import TooSlowDocumentError, too_slow
from copysift.runtime.watched import (
    About,
    Answer,
    CrashedError,
    TooSlowError,
    WatchedProcess,
    answer_requests,
)

_PROCESS = WatchedProcess("copysift.runtime.pygments_tokens")
_MOST = 1 << 28  # bytes of an answer

Token = tuple[int, Any, str]


def tokens(text: str, seconds: float, *, alias: str = "", file: str = "") -> Iterator[Token]:
    """Give start, type and value of each token, as a lexer of Pygments does.

    Raises TooSlowDocumentError after `seconds`, or if the lexer breaks down.
    """
    from pygments.token import string_to_tokentype

    try:
        answer, parts = _PROCESS.ask(
            {"alias": alias, "file": file}, text.encode("utf-8", "surrogatepass"), seconds, _MOST
        )
    except TooSlowError:
        raise TooSlowDocumentError(too_slow(seconds)) from None
    except CrashedError:
        raise TooSlowDocumentError("broke the lexer of its language") from None
    types = [string_to_tokentype(name) for name in answer["types"]]
    numbers, starts, lengths = array("H"), array("Q"), array("Q")
    for column, part in zip((numbers, starts, lengths), parts, strict=True):
        column.frombytes(part)
    for number, start, length in zip(numbers, starts, lengths, strict=True):
        yield start, types[number], text[start : start + length]


def _answer(asked: About, data: bytes) -> Answer:
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename

    if asked["alias"]:
        lexer = get_lexer_by_name(asked["alias"])
    else:
        lexer = get_lexer_for_filename(asked["file"], stripnl=False, ensurenl=False)
    types: dict[str, int] = {}
    numbers, starts, lengths = array("H"), array("Q"), array("Q")
    for start, kind, value in lexer.get_tokens_unprocessed(data.decode("utf-8", "surrogatepass")):
        numbers.append(types.setdefault(".".join(kind), len(types)))
        starts.append(start)
        lengths.append(len(value))
    return {"types": list(types)}, [numbers.tobytes(), starts.tobytes(), lengths.tobytes()]


if __name__ == "__main__":
    answer_requests(_answer)
