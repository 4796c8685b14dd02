from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.errors import UsageError
from copysift.kinds import canonicaliser, conformance, languages
from copysift.kinds.catalog import Entry
from copysift.kinds.code import PIECE, Code
from copysift.kinds.language import parse
from copysift.kinds.lextable import DEDENT, INDENT, NEWLINE, STRING

SAMPLES = Path(__file__).parent / "samples"
LEXED = [entry for entry in languages().entries if not entry.language.text]
MOSS = [
    "c",
    "cc",
    "java",
    "ml",
    "pascal",
    "ada",
    "lisp",
    "scheme",
    "haskell",
    "fortran",
    "ascii",
    "vhdl",
    "verilog",
    "perl",
    "matlab",
    "python",
    "mips",
    "prolog",
    "spice",
    "vb",
    "csharp",
    "modula2",
    "a8086",
    "javascript",
    "plsql",
]


def sample(entry: Entry) -> bytes:
    return (SAMPLES / f"{entry.name}.txt").read_bytes()


def symbols(language: str, source: str) -> list[int]:
    return canonicaliser(f"code:{language}").whole(source.encode()).symbols.tolist()


@pytest.mark.parametrize("entry", LEXED, ids=lambda entry: entry.name)
def test_every_language_keeps_the_laws(entry: Entry) -> None:
    conformance.check(entry, sample(entry))


@pytest.mark.parametrize("entry", LEXED, ids=lambda entry: entry.name)
def test_the_head_of_a_built_in_language_says_what_the_whole_file_says(entry: Entry) -> None:
    language = entry.language
    assert (language.name, language.title, language.aliases, language.extensions, language.looks_like) == (
        entry.name, entry.title, entry.aliases, entry.extensions, entry.looks_like,
    )  # fmt: skip


@pytest.mark.parametrize("name", MOSS)
def test_every_language_of_moss_is_known_by_its_name(name: str) -> None:
    assert languages().find(name)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(LEXED), st.binary(max_size=60), st.integers(0, 400), st.integers(0, 400))
def test_any_bytes_lex(entry: Entry, junk: bytes, start: int, end: int) -> None:
    text = sample(entry)
    conformance.spans_ascend(entry, text[start:end] + junk + text[:start])


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("java", "int count = 5; // five", "int  n=7;/* seven */"),
        (
            "python",
            "def f(x):\n    return x\n",
            "def g(yy):  # doc\n\n        '''Doc.'''\n        return yy\n",
        ),
        ("python", "x = (1,\n  2)\n", "x = (1, 2)\n"),
        ("c", 'puts("a");', 'puts("something else");'),
        ("sql", "select a from b", "SELECT x\nFROM y -- z"),
        ("c", "foo\u200bbar = 1;", "foobar = 1;"),
        ("c", "a\u00a0= 1;", "a = 1;"),
        ("cpp", 'x = R"q(a ") b)q";', 'x = "";'),
        ("rust", 'let x = r##"a"# b"##;', 'let x = "";'),
        ("lua", "x = [==[ ]] ]==] --[[ c ]]", "x = ''"),
        ("javascript", "a / b / c", "x / y / z"),
    ],
)
def test_what_does_not_count_gives_the_same_symbols(language: str, one: str, other: str) -> None:
    assert symbols(language, one) == symbols(language, other)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("java", "int x = 5;", "int x = y;"),
        ("python", "if x:\n    y()\nz()\n", "if x:\n    y()\n    z()\n"),
        ("javascript", "x = /a/ ;", "x = a / a;"),
        ("c", "a << b", "a < b"),
        ("rust", "'a'", "'a"),
    ],
)
def test_what_counts_gives_other_symbols(language: str, one: str, other: str) -> None:
    assert symbols(language, one) != symbols(language, other)


def test_a_keyword_has_the_same_symbol_in_every_language() -> None:
    assert symbols("c", "while")[0] == symbols("java", "while")[0] == symbols("sql", "WHILE")[0] > 2**31


def test_indentation_counts_in_python() -> None:
    found = symbols("python", "if x:\n    y\nz\n")
    layout = [each for each in found if each in (NEWLINE, INDENT, DEDENT)]
    assert layout == [NEWLINE, INDENT, NEWLINE, DEDENT, NEWLINE]


def test_a_template_string_is_lexed_inside() -> None:
    found = symbols("javascript", "`a ${b + `c ${d}`} e`")
    assert found.count(STRING) == 4
    assert found.count(1) == 2


def test_a_shift_is_no_heredoc() -> None:
    assert symbols("ruby", "x = 1 <<FOO\ny = 2\n") == symbols("ruby", "a = 3 << BAR\nb = 4\n")


def depends_on_context(entry: Entry, source: bytes, symbols: list[int]) -> bool:
    """Tell whether a run is one of the exceptions that `code.py` names."""
    rules = entry.language.rules
    literals = any(rule.hole or rule.kind == "heredoc" for rule in rules) or entry.language.docstrings
    heredoc = any(rule.kind == "heredoc" for rule in rules) and b"<<" in source
    return (literals and STRING in symbols) or heredoc or source[:1] in (b"/", b"'")


@pytest.mark.parametrize("entry", LEXED, ids=lambda entry: entry.name)
def test_a_run_of_tokens_lexed_again_gives_that_run(entry: Entry) -> None:
    source = sample(entry)
    tokens = conformance.lexed(entry, source)
    count, judged = len(tokens.symbols), 0
    for first in range(count):
        for last in range(first, min(count, first + 12)):
            text = source[int(tokens.starts[first]) : int(tokens.ends[last])]
            if not depends_on_context(entry, text, tokens.symbols[first : last + 1].tolist()):
                assert conformance.slices_lex_again(entry, source, first, last), text
                judged += 1
    assert judged > 2 * count


def broken(lex, law):
    """Give a lexer that breaks one law."""

    def lexes(source, *table):
        symbols, starts, ends, hashes = (column.copy() for column in lex(source, *table))
        if law == "names":  # the length of a name counts
            named = symbols == 1
            symbols[named] += 1000 * (ends[named] - starts[named])
        elif law == "spans":  # one byte too far to the left
            starts, ends = np.maximum(starts, 1) - np.uint32(1), np.maximum(ends, 1) - np.uint32(1)
        elif law == "order":
            starts, ends = starts[::-1].copy(), ends[::-1].copy()
        elif law == "layout" and b"\n \n" in bytes(source):
            symbols, starts, ends, hashes = (column[1:] for column in (symbols, starts, ends, hashes))
        return symbols, starts, ends, hashes

    return lexes


@pytest.mark.parametrize("law", ["names", "spans", "order", "layout"])
@pytest.mark.parametrize("name", ["java", "python", "sql"])
def test_the_kit_finds_a_lexer_that_breaks_a_law(
    monkeypatch: pytest.MonkeyPatch, law: str, name: str
) -> None:
    entry = languages().find(name)
    monkeypatch.setattr(conformance.kernels.lex, "lex", broken(conformance.kernels.lex.lex, law))
    with pytest.raises(AssertionError):
        conformance.check(entry, sample(entry))


def test_the_kit_renames_every_name_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    entry, seen = languages().find("java"), []
    lex = conformance.kernels.lex.lex
    monkeypatch.setattr(
        conformance.kernels.lex,
        "lex",
        lambda source, *table: (seen.append(bytes(source)), lex(source, *table))[1],
    )
    conformance.renaming_changes_nothing(entry, sample(entry))
    before, after = (seen[0], seen[-1])
    assert before == sample(entry)
    assert b"class Count " in before
    assert b"class Count " not in after
    assert after.count(b"Zq") > 15


def test_a_document_of_several_pieces_is_lexed_to_its_end() -> None:
    line = b"int value = 5;\n"
    lines = PIECE // len(line) + 1000
    source = line * lines
    code = Code(languages().find("c"))
    whole = code.whole(source)
    assert len(whole.symbols) == 5 * lines
    assert int(whole.ends[-1]) == len(source) - 1
    chunked = list(code.blocks([source[:1000], source[1000:]]))
    assert len(chunked) == 2
    assert np.array_equal(np.concatenate([block.symbols for block in chunked]), whole.symbols)


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("javascript", b"( / [ "),
        ("perl", b"q!"),
        ("ruby", b"<<A "),
        ("python", b'f"{'),
        ("rust", b"r#"),
        ("c", b"/*"),
    ],
)
def test_a_megabyte_of_openings_lexes_at_once(name: str, piece: bytes) -> None:
    conformance.spans_ascend(languages().find(name), piece * (1_000_000 // len(piece)))


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.pl", b"my $x = 1;", "perl"),
        ("a.pl", b"mem(X, [X|_]).\nmem(X, [_|T]) :- mem(X, T).", "prolog"),
        ("a.m", b"#import <x.h>", "objectivec"),
        ("a.m", b"x = 1;", "matlab"),
        ("A.JAVA", b"", "java"),
    ],
)
def test_a_file_finds_its_language_by_extension_and_head(name: str, head: bytes, kind: str) -> None:
    entry = languages().by_extension(name, head)
    assert entry is not None
    assert entry.name == kind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "not valid TOML"),
        ('name = "x"\nkeyword = "a"', "keyword is no key"),
        ('name = "X y"', "name must be"),
        ('name = "x"\nextensions = ["x"]', "must begin with a dot"),
        ('name = "x"\nstrings = [{ close = "a" }]', "strings holds"),
        ('name = "x"\nstrings = [{ open = "a", esc = "b" }]', "no field 'esc'"),
        ('name = "x"\nstrings = [{ open = "a", escape = "bb" }]', "more than one character"),
        ('name = "x"\nextends = "klingon"', "no language 'klingon'"),
        ('name = "x"\nindentation = 1', "true or false"),
        ('name = "x"\nlooks_like = "("', "looks_like is no pattern"),
        ('name = "x"\naliases = ' + "[" * 5000, "too many lists in one another"),
    ],
)
def test_a_wrong_language_file_is_refused_by_the_key_at_fault(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse(text, "x.toml", lambda name: languages().find(name).language)


def test_a_language_of_the_user_comes_before_the_built_in_ones(tmp_path: Path) -> None:
    file = tmp_path / "mini.toml"
    file.write_text('name = "mini"\nextensions = [".java"]\nline_comments = [";"]\nkeywords = "let be"\n')
    known = languages().with_files([str(file)])
    entry = known.by_extension("x.java", b"")
    assert entry is not None
    assert entry.name == "mini"
    conformance.check(entry, b"let x be 5 + y ; comment\nlet zz be x * 7\n")
    assert known.find("java").name == "java"


def test_a_language_without_rules_has_words_numbers_and_operators(tmp_path: Path) -> None:
    file = tmp_path / "bare.toml"
    file.write_text('name = "bare"\nextensions = [".bare"]\n')
    entry = languages().with_files([str(file)]).by_extension("x.bare", b"")
    assert entry is not None
    conformance.check(entry, b'let x be 5 + y ; "no string" # no comment\nlet zz be x * 7\n')
