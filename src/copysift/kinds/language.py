"""What a language file says: a small TOML table, checked when it is read.

A language is its comments, literals, keywords and operators. docs/languages.md explains every key;
`Rule` is what the comments and literals of a file become.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import product
from typing import Any

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass

_DOCUMENTED = "docs/languages.md lists the keys of a language file."


@dataclass(frozen=True, slots=True)
class Rule:
    """One form of comment or literal; strings are as they are in the source."""

    kind: str
    symbol: str
    open: str
    close: str = ""
    escape: str = ""
    nested: bool = False
    doubled: bool = False
    multiline: bool = False
    line_start: bool = False
    not_after_operand: bool = False
    not_adjacent: bool = False
    word: bool = False
    continued: bool = False
    must_close: bool = False
    brackets: bool = False
    whole_word: bool = False
    after_blank: bool = False
    quoted: bool = False
    spaced: bool = False
    column: int = 0
    max: int = 0
    hole: str = ""
    hole_close: str = "}"
    fence: str = ""
    middle: str = ""
    end: str = ""
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Language:
    """A language as its file describes it."""

    name: str
    title: str = ""
    aliases: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    members: tuple[str, ...] = ()  # operators after which every word is a name: x.class
    rules: tuple[Rule, ...] = ()
    identifier_start: str = "_"
    identifier_part: str = ""
    identifier_tail: str = ""
    sigils: str = ""
    number_marks: str = ""
    continuation: str = ""
    separators: str = ";{}"
    lines: bool = False  # a statement ends with its line
    case_sensitive: bool = True
    indentation: bool = False
    docstrings: bool = False
    looks_like: str = ""  # a pattern that the head of a file has, for extensions that others use too
    text: bool = False  # not lexed at all: MOSS's ascii


_REGEX = {"escape": "\\", "not_after_operand": True, "must_close": True, "brackets": True}
# key of a file → (kind of rule, class, what the rule is made of besides what is written)
_FORMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "line_comments": ("line", "comment", {}),
    "block_comments": ("span", "comment", {"multiline": True}),
    "dead_branches": ("branch", "comment", {"line_start": True, "word": True, "spaced": True}),
    "strings": ("span", "string", {"escape": "\\"}),
    "characters": ("span", "character", {"escape": "\\"}),
    "regexes": ("span", "regex", _REGEX),
    "names": ("span", "name", {"must_close": True}),
    "raw_strings": ("fenced", "string", {}),
    "raw_comments": ("fenced", "comment", {}),
    "heredocs": ("heredoc", "string", {}),
    "quotes": ("quoted", "string", {}),
    "letters": ("letter", "character", {"escape": "\\"}),
}
_WORDS = ("keywords", "operators", "members")
MOST_MEMBERS = 4  # as the kernel has room for
_LISTS = ("aliases", "extensions")
_RULE_FIELDS = {each.name: each for each in fields(Rule)}
_PLAIN = {each.name: each.type for each in fields(Language)}
_KEYS = {*_FORMS, *_PLAIN, "extends"} - {"rules"}


def parse(text: str, origin: str, parent: Callable[[str], Language]) -> Language:
    """Make a language from the text of its file; `parent` finds the one that it extends.

    Raises UsageError that names the origin and the key at fault.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin} is not valid TOML: {error}", hint=_DOCUMENTED) from error
    except RecursionError:
        raise UsageError(f"{origin} has too many lists in one another", hint=_DOCUMENTED) from None
    return _Checked(table, origin).language(parent)


class _Checked:
    """A table on its way to a language, with the words for what is wrong with it."""

    def __init__(self, table: Mapping[str, Any], origin: str) -> None:
        self._table, self._origin = table, origin
        for key in table:
            if key not in _KEYS:
                self._refuse(key, "is no key of a language file")

    def language(self, parent: Callable[[str], Language]) -> Language:
        """Check every key and put them together with those of the language that is extended."""
        name = self._text("name")
        if not name or not name.replace("-", "").replace("+", "").isalnum() or name != name.lower():
            self._refuse("name", "must be a word in small letters")
        known = parent(self._text("extends")) if "extends" in self._table else Language(name)
        values: dict[str, Any] = {"name": name, "title": self._text("title") or name}
        for key in _LISTS:
            values[key] = tuple(self._strings(key))
        if any(not each.startswith(".") for each in values["extensions"]):
            self._refuse("extensions", "must begin with a dot")
        for key in _WORDS:
            values[key] = (*getattr(known, key), *self._words(key))
        if len(values["members"]) > MOST_MEMBERS:
            self._refuse("members", f"has more than {MOST_MEMBERS} operators")
        rules = [rule for key in _FORMS for rule in self._rules(key)]
        values["rules"] = (*rules, *known.rules)
        for key, kind in _PLAIN.items():
            if key not in values:
                values[key] = self._plain(key, bool if kind == "bool" else str, getattr(known, key))
        try:
            re.compile(str(values["looks_like"]).encode())
        except re.error as error:
            self._refuse("looks_like", f"is no pattern: {error}")
        if len(values["continuation"]) > 1:
            self._refuse("continuation", "must be one character")
        return Language(**values)

    def _plain(self, key: str, kind: type, default: object) -> object:
        value = self._table.get(key, default)
        if type(value) is not kind:
            self._refuse(key, f"must be {'true or false' if kind is bool else 'a string'}")
        if isinstance(value, str) and not value.isascii():
            self._refuse(key, "must be ASCII: all letters beyond it are letters of identifiers already")
        return value

    def _text(self, key: str) -> str:
        value = self._table.get(key, "")
        if not isinstance(value, str):
            self._refuse(key, "must be a string")
        return str(value)

    def _words(self, key: str) -> list[str]:
        return self._text(key).split()

    def _strings(self, key: str) -> list[str]:
        value = self._table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
            self._refuse(key, "must be a list of strings")
        return list(value)

    def _rules(self, key: str) -> list[Rule]:
        value = self._table.get(key, [])
        if not isinstance(value, list):
            self._refuse(key, "must be a list")
        return [rule for each in value for rule in self._rule(key, each)]

    def _rule(self, key: str, entry: object) -> list[Rule]:
        kind, symbol, usual = _FORMS[key]
        given = self._entry(key, entry)
        prefixes = self._prefixes(key, given)
        if given.pop("regex", False):
            symbol = "regex"
        for name, value in given.items():
            self._check_field(key, name, value)
        if kind == "span":
            given.setdefault("close", given["open"])
        if not given["open"] or (kind in ("span", "fenced") and not given["close"]):
            self._refuse(key, "needs an opening, and a closing that is not empty")
        if kind == "fenced" and not given.get("middle") and not given.get("fence"):
            self._refuse(key, "needs what is between the fence and the body as `middle`, or a `fence` byte")
        made = {**usual, **given}
        return [Rule(kind, symbol, **{**made, "open": prefix + made["open"]}) for prefix in prefixes]

    def _prefixes(self, key: str, given: dict[str, Any]) -> list[str]:
        prefixes, any_case = given.pop("prefixes", [""]), given.pop("any_case", False)
        if not isinstance(prefixes, list) or not all(isinstance(each, str) for each in prefixes):
            self._refuse(key, "has prefixes that are no list of strings")
        if not any_case:
            return list(prefixes)
        cased = [product(*({char.lower(), char.upper()} for char in each)) for each in prefixes]
        return sorted({"".join(chars) for each in cased for chars in each})

    def _entry(self, key: str, entry: object) -> dict[str, Any]:
        if isinstance(entry, str):
            return {"open": entry}
        if isinstance(entry, list) and len(entry) == 2:
            return {"open": entry[0], "close": entry[1]}
        if isinstance(entry, dict) and "open" in entry:
            return dict(entry)
        self._refuse(key, "holds a string, a pair of opening and closing, or a table with `open`")
        return {}

    def _check_field(self, key: str, name: str, value: object) -> None:
        if name not in _RULE_FIELDS or name in ("kind", "symbol"):
            self._refuse(key, f"has no field {name!r}")
        wanted = {"bool": bool, "int": int, "str": str}[str(_RULE_FIELDS[name].type)]
        if type(value) is not wanted:
            self._refuse(key, f"has a wrong {name}: {value!r}")
        if wanted is int and not 0 <= int(str(value)) < 1000:
            self._refuse(key, f"has a {name} outside 0 to 999")
        if name in ("escape", "fence", "hole_close") and len(str(value)) > 1:
            self._refuse(key, f"has a {name} of more than one character")

    def _refuse(self, key: str, why: str) -> None:
        raise UsageError(f"{self._origin}: {key} {why}", hint=_DOCUMENTED)
