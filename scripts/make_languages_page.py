"""Make docs/languages.md: how a language is described, and the table of those that are built in."""

import sys
from pathlib import Path

from copysift.kinds import languages

PAGE = Path(__file__).parents[1] / "docs" / "languages.md"
HEAD = """# Languages

Made from `src/copysift/kinds/languages/` by `./dev docs`; `copysift languages` lists the same, with plug-ins.

A language is a small TOML file: what its comments and literals look like, its keywords and its operators. The lexer is
the same for all. Identifiers become one symbol, numbers, strings, characters and regular expressions one each; every
keyword and operator keeps its own, the same in every language. Broken code lexes too.

## Adding one

Ten lines do:

```toml
name = "zed"
title = "Zed"
aliases = ["z"]
extensions = [".zed"]

line_comments = ["//"]
block_comments = [["/*", "*/"]]
strings = ['"']
characters = ["'"]
operators = "-> := == != <= >= && || ++ --"
keywords = "if else while for return fn let struct true false"
```

Try it with `copysift scan FOLDER --language-file zed.toml`; it comes before a built-in one with the same name or extension.
A package brings languages by an entry point of the group `copysift.languages`, a string or a path with such a file.
Then check it with a sample that has every form of comment and literal:

```python
from copysift.kinds.catalog import from_file
from copysift.kinds.conformance import check

check(from_file("zed.toml"), open("sample.zed", "rb").read())
```

## The keys

| key | value |
|---|---|
| `name`, `title`, `aliases`, `extensions` | names; extensions start with a dot. All before the first empty line is the head |
| `looks_like` | a pattern that the head of a file must match, for extensions that other languages use too |
| `extends` | a language whose keywords, operators and forms are taken over |
| `keywords`, `operators` | words with blanks between them; a single byte is always an operator |
| `case_sensitive` | false: keywords and names are the same in capitals |
| `indentation`, `docstrings` | true: indentation counts; a line that is nothing but a string is a comment |
| `continuation` | the mark before a line end that joins two lines |
| `identifier_start`, `identifier_part`, `identifier_tail` | bytes of names beside letters and digits; the tail is one last byte, as in `nil?` |
| `members` | operators, four at most, after which every word is a name and not a keyword, as in `x.class` |
| `sigils` | bytes that belong to the name that follows, as in `$x` |
| `number_marks` | bytes inside numbers, as in `1'000` |
| `separators`, `lines` | what ends a statement: bytes, `;{}` if not given; the line end |
| `text` | true: not lexed, but compared as text |

The forms are lists. An entry is a string that opens and closes, a pair, or a table with `open` and more:

| key | form |
|---|---|
| `line_comments` | to the end of the line; `continued`: a backslash before the line end continues it |
| `block_comments` | from `open` to `close`; `nested` |
| `dead_branches` | what a preprocessor never compiles: from `open`, as `#if 0`, to the `#else`, `#elif` or `#endif` of the same level |
| `strings`, `characters`, `regexes` | from `open` to `close`, with `escape` (a backslash; empty for none) |
| `names` | an identifier in quotes, on one line, as in `` `order #` `` |
| `raw_strings`, `raw_comments` | `open`, any number of `fence` bytes (letters if empty), `middle`, the body, `close`, the same fence, `end`: `R"x(…)x"`, `r#"…"#`, `[==[…]==]` |
| `heredocs` | the body starts with the next line and ends with the name that follows `open` |
| `quotes` | any mark after `open` is the quote, as in `q(…)`; `parts` is 2 for `s/…/…/`; `regex` |
| `letters` | one character after `open`, as in `0'c`; `whole_word` as in `#\\space` |

More fields: `multiline`; `doubled` (a doubled closing mark is part of the string); `hole` and `hole_close` (code inside a string, as
in `${…}`); `prefixes` and `any_case`; `max` (one character, or an escape of this many bytes) with `must_close`; `brackets` (nothing
closes inside `[…]`); `quoted` (nothing closes inside `"…"`); and where an opening counts: `column`, `line_start`, `word`, `not_after_operand`, `not_adjacent`,
`after_blank`; `spaced` (blanks may be after the first byte of `open` and where it has a space, as in `#  error`).

## Built in

| name | language | aliases | extensions |
|---|---|---|---|
"""


def page() -> str:
    """Write the page."""
    rows = [
        f"| `{entry.name}` | {entry.title} | {_list(entry.aliases)} | {_list(entry.extensions)} |"
        for entry in languages().entries
    ]
    return HEAD + "\n".join(rows) + "\n"


def _list(words: tuple[str, ...]) -> str:
    return " ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
