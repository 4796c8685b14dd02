"""Take comments out of a program and rename its identifiers, as tree-sitter sees them: an oracle."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node
from tree_sitter_language_pack import get_parser


@dataclass(frozen=True)
class Grammar:
    """How one language is read: the name of its parser, and the nodes that are its identifiers."""

    parser: str
    names: frozenset[str]
    kept: frozenset[str] = frozenset()  # reserved or predeclared words that the grammar takes for names
    members: tuple[bytes, ...] = ()  # behind these, such a word is a name all the same: x.class


GRAMMARS: dict[str, Grammar] = {}
FOLDED = ("fortran", "pascal", "vhdl")  # case does not matter


def grammar(ours: str, parser: str, names: str, kept: str = "", members: str = "") -> None:
    """Put the grammar of a language into the table."""
    behind = tuple(members.encode().split())
    GRAMMARS[ours] = Grammar(parser, frozenset(names.split()), frozenset(kept.split()), behind)


_C = "identifier type_identifier field_identifier statement_identifier"
_C_KEPT = "int char long short void float double signed unsigned bool else default true false sizeof wchar_t"
grammar("bash", "bash", "variable_name")
grammar("c", "c", _C, _C_KEPT)
grammar(
    "cpp", "cpp", f"{_C} namespace_identifier",
    f"{_C_KEPT} dynamic_cast static_cast reinterpret_cast const_cast typeid",
)  # fmt: skip
grammar("csharp", "csharp", "identifier")
grammar("css", "css", "class_name id_name")
grammar(
    "elixir", "elixir", "identifier",
    """def defp defmodule defmacro defmacrop defstruct defexception defdelegate defimpl defprotocol defguard
    quote unquote case if unless cond with for try receive use import alias require raise throw super""",
    ".",
)  # fmt: skip
grammar("erlang", "erlang", "var")
grammar("fortran", "fortran", "identifier name")
grammar(
    "go", "go", "identifier type_identifier field_identifier package_identifier label_name",
    """string error bool byte rune int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32
    float64 complex64 complex128 any true false nil iota append cap close copy delete len make new panic print
    println recover""",
    ".",
)  # fmt: skip
grammar("haskell", "haskell", "variable name constructor", "True False")
grammar("html", "html", "")
grammar("java", "java", "identifier type_identifier")
# A reserved word may name a method or a key of an object, too; only behind a dot the lexer can know.
_JS = """identifier property_identifier statement_identifier shorthand_property_identifier_pattern
private_property_identifier"""
_JS_KEPT = """default await throw return delete in new with export extends do catch for finally async function
undefined"""
grammar("javascript", "javascript", _JS, _JS_KEPT, ". ?.")
grammar("typescript", "typescript", f"{_JS} type_identifier", _JS_KEPT, ". ?.")
grammar("kotlin", "kotlin", "simple_identifier type_identifier", "class import", ". ?. ::")
grammar("lua", "lua", "identifier")
grammar(
    "objectivec",
    "objc",
    _C,
    f"{_C_KEPT} self super nil Nil NO YES for in do if while id SEL IMP BOOL Class protocol",
)
grammar("ocaml", "ocaml", "value_name type_constructor field_name constructor_name module_name")
grammar(
    "pascal", "pascal", "identifier",
    """result integer boolean longint smallint writeln write readln read string exit byte word break continue
    char real double""",
    ".",
)  # fmt: skip
grammar("perl", "perl", "varname")
grammar(
    "php", "php", "name",
    "isset class empty static default new clone array include self parent list unset exit true false null",
    "-> ?-> ::",
)  # fmt: skip
grammar("python", "python", "identifier")
grammar("r", "r", "identifier", "library require")
grammar(
    "ruby", "ruby", "identifier constant instance_variable class_variable global_variable",
    "require require_relative attr_reader attr_writer attr_accessor puts raise include extend private public",
    ". &. ::",
)  # fmt: skip
grammar(
    "rust", "rust", "identifier type_identifier field_identifier",
    "Self static str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char String Vec Option",
    "::",
)  # fmt: skip
grammar("scala", "scala", "identifier type_identifier", "this super if else def with val s f raw")
grammar("swift", "swift", "simple_identifier type_identifier")
grammar("dart", "dart", "identifier type_identifier", "int double num bool String void dynamic Object")
grammar("julia", "julia", "identifier")
grammar("verilog", "verilog", "simple_identifier")
grammar("vhdl", "vhdl", "identifier", "subtype inout return variable")


def leaves(node: Node, wanted: Grammar) -> Iterator[tuple[str, Node]]:
    """Give comments and identifiers, in order."""
    stack = [node]
    while stack:
        each = stack.pop()
        if "comment" in each.type and each.type != "comment_content":
            yield "comment", each
        elif each.type in wanted.names and each.child_count == 0:
            yield "name", each
        else:
            stack.extend(reversed(each.children))


def _fresh() -> Iterator[str]:
    for length in itertools.count(2):
        for letters in itertools.product(string.ascii_lowercase, repeat=length):
            yield "zq" + "".join(letters)


def disguised(language: str, data: bytes) -> tuple[bytes, bytes] | None:
    """Give a source without comments, and renamed as well; None if tree-sitter cannot read it."""
    wanted = GRAMMARS[language]
    root = get_parser(wanted.parser).parse(data).root_node
    if root.has_error:
        return None
    fresh = _fresh()
    known: dict[bytes, bytes] = {}
    plain: list[bytes] = []
    renamed: list[bytes] = []
    at = 0
    for kind, node in leaves(root, wanted):
        if node.start_byte < at:
            continue
        between, text = data[at : node.start_byte], data[node.start_byte : node.end_byte]
        at = node.end_byte
        blank = bytes(byte if byte in b"\r\n" else 32 for byte in text)
        plain += [between, blank if kind == "comment" else text]
        code = b"".join(plain[-6:-1]).rstrip()
        renamed += [between, blank if kind == "comment" else _other(text, code, language, known, fresh)]
    plain.append(data[at:])
    renamed.append(data[at:])
    return b"".join(plain), b"".join(renamed)


def _other(
    text: bytes, before: bytes, language: str, known: dict[bytes, bytes], fresh: Iterator[str]
) -> bytes:
    """Give another name of the same form: sigils, signs at the end, and the case of the first letter stay."""
    wanted = GRAMMARS[language]
    fold = language in FOLDED
    word = text.decode("utf-8", "replace")
    member = bool(wanted.members) and before.endswith(wanted.members) and not before.endswith(b"..")
    if not member and (word.lower() if fold else word) in wanted.kept:
        return text
    head = text[: len(text) - len(text.lstrip(b"$@_"))]
    body = text[len(head) :]
    if not body[:1].isalpha() or b"::" in body:
        return text
    key = text.lower() if fold else text
    if key not in known:
        made = next(fresh).encode()
        known[key] = made.capitalize() if body[:1].isupper() else made
    tail = re.search(rb"(?:_?[^\w\x80-\xff'#]+)?$", body)
    return head + known[key] + (tail.group() if tail else b"")
