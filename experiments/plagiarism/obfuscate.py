"""Disguises of a copied program in a language with braces: what plagiarists and their tools do.

Each disguise is a function of the source and a random generator. They work on lexemes, not on a syntax
tree, and need not keep the program's meaning: what counts is what a detector sees.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d[\w.]*|\s+|[^\w\s]",
    re.DOTALL,
)
RESERVED = frozenset(
    re.findall(
        r"\w+",
        """abstract boolean break byte case catch char class const continue default do double else enum
        extends final finally float for if implements import instanceof int interface long new
        null package private protected public return short static super switch this throw throws
        true false try void while String System out println print printf in Scanner main args
        length nextInt nextLine nextDouble util java Math Integer include define sizeof struct
        unsigned signed typedef NULL std""",
    )
)
DEAD = (
    "int {0} = {1};",
    "{0} = {1} + {1};",
    "if ({1} > {2}) {{ {0}++; }}",
    "double {0} = {1} * 2.5;",
    "boolean {0} = false;",
    'String {0} = "";',
    "for (int {0} = 0; {0} < 0; {0}++) {{ }}",
    "while (false) {{ {0}--; }}",
    "{0} += {2};",
)


def lexemes(source: str) -> list[str]:
    """Cut a source into lexemes, white space and comments included."""
    return TOKEN.findall(source)


def rename(source: str, chance: random.Random) -> str:
    """Give every name of the program another one."""
    names: dict[str, str] = {}

    def other(word: str) -> str:
        if not re.match(r"[A-Za-z_]", word) or word in RESERVED:
            return word
        return names.setdefault(word, "".join(chance.choices("abcdefghijklmnop", k=chance.randint(3, 9))))

    return "".join(map(other, lexemes(source)))


def reformat(source: str, chance: random.Random) -> str:
    """Drop comments and lay the program out anew, with comments of another hand."""
    kept = [each for each in lexemes(source) if not each.startswith(("//", "/*"))]
    parts = []
    for each in kept:
        if each.isspace():
            each = "\n" if "\n" in each and chance.random() < 0.7 else " "
        parts.append(each)
        if each in (";", "{", "}"):
            parts.append(chance.choice(("\n", "\n\t", "\n  // next step\n", " /* ok */ ")))
    return "".join(parts)


def literals(source: str, chance: random.Random) -> str:
    """Change the numbers and the words of messages."""

    def other(word: str) -> str:
        if word[0].isdigit():
            return str(chance.randint(2, 999))
        if word[0] == '"' and len(word) > 2:
            return '"' + "".join(chance.choices("abcdefghij klmno", k=max(1, len(word) - 2))) + '"'
        return word

    return "".join(map(other, lexemes(source)))


def _depths(tokens: list[str]) -> list[tuple[int, int]]:
    """Give the depth of braces and of parentheses before each lexeme."""
    braces = rounds = 0
    found = []
    for each in tokens:
        found.append((braces, rounds))
        braces += (each == "{") - (each == "}")
        rounds += (each == "(") - (each == ")")
    return found


def insert(source: str, chance: random.Random, rate: float) -> str:
    """Put dead statements behind a share of the statements."""
    tokens = lexemes(source)
    parts = []
    for token, (braces, rounds) in zip(tokens, _depths(tokens), strict=True):
        parts.append(token)
        if token == ";" and rounds == 0 and braces >= 2 and chance.random() < rate:
            name = "".join(chance.choices("uvwxyz", k=3)) + str(chance.randint(0, 99))
            dead = chance.choice(DEAD).format(name, chance.randint(0, 99), chance.randint(0, 9))
            parts.append(f"\n{dead}\n")
    return "".join(parts)


def _members(source: str) -> tuple[str, list[str], str]:
    """Cut the body of the first brace into its members: head, members, tail."""
    tokens = lexemes(source)
    if "{" not in tokens:
        return source, [], ""
    depths = [braces for braces, _ in _depths(tokens)]
    first = tokens.index("{") + 1
    members, start, at = [], first, first
    while at < len(tokens) and not (tokens[at] == "}" and depths[at] == 1):
        ends = (tokens[at] == "}" and depths[at] == 2) or (tokens[at] == ";" and depths[at] == 1)
        if ends:
            members.append("".join(tokens[start : at + 1]))
            start = at + 1
        at += 1
    return "".join(tokens[:first]), members, "".join(tokens[start:])


def reorder(source: str, chance: random.Random) -> str:
    """Shuffle the members of the class, and statements inside blocks that follow each other."""
    head, members, tail = _members(source)
    chance.shuffle(members)
    return head + "".join(members) + tail


def loops(source: str, chance: random.Random) -> str:
    """Turn for loops into while loops."""
    form = re.compile(r"\bfor\s*\(([^;()]*(?:\([^()]*\))?[^;()]*);([^;]*);([^{};]*)\)\s*\{")
    while found := form.search(source):
        before, test, step = (part.strip() for part in found.groups())
        depth, at = 1, found.end()
        while at < len(source) and depth:
            depth += (source[at] == "{") - (source[at] == "}")
            at += 1
        body = source[found.end() : at - 1]
        loop = f"{before};\nwhile ({test or 'true'}) {{{body}\n{step};\n}}"
        source = source[: found.start()] + loop + source[at:]
    return source


def extract(source: str, chance: random.Random) -> str:
    """Move runs of statements to methods of their own."""
    tokens = lexemes(source)
    depths = _depths(tokens)
    ends = [
        at for at, token in enumerate(tokens) if token == ";" and depths[at][0] == 2 and depths[at][1] == 0
    ]
    if len(ends) < 4:
        return source
    moved, made = set(), []
    for number in range(max(1, len(ends) // 6)):
        first = chance.randrange(len(ends) - 3)
        start, end = ends[first] + 1, ends[first + chance.randint(1, 3)] + 1
        if any(at in moved for at in range(start, end)) or any(d[0] < 2 for d in depths[start:end]):
            continue
        moved.update(range(start, end))
        made.append((start, f"\nstatic void part{number}() {{{''.join(tokens[start:end])}\n}}\n"))
        tokens[start] = f"\npart{number}();\n"
        moved.discard(start)
    kept = [token for at, token in enumerate(tokens) if at not in moved]
    last = len(kept) - 1 - kept[::-1].index("}")
    return "".join(kept[:last]) + "".join(text for _, text in made) + "".join(kept[last:])


def part(source: str, chance: random.Random, other: str) -> str:
    """Put half of the members, or of the statements, of a program into another one."""
    tokens = lexemes(source)
    depths = _depths(tokens)
    inside = [
        at for at, (braces, rounds) in enumerate(depths) if braces >= 2 and tokens[at] == ";" and not rounds
    ]
    if len(inside) < 4:
        return source
    first = chance.randrange(max(1, len(inside) // 2))
    taken = "".join(tokens[inside[first] + 1 : inside[min(len(inside) - 1, first + len(inside) // 2)] + 1])
    head, members, tail = _members(other)
    return head + "".join(members) + f"\nstatic void more() {{ {taken} }}\n" + tail


Disguise = Callable[[str, random.Random], str]
DISGUISES: dict[str, Disguise] = {
    "reformat": reformat,
    "rename": rename,
    "literals": lambda source, chance: rename(literals(source, chance), chance),
    "reorder": lambda source, chance: rename(reorder(source, chance), chance),
    "loops": lambda source, chance: rename(loops(source, chance), chance),
    "extract": lambda source, chance: rename(extract(source, chance), chance),
    "insert 25 %": lambda source, chance: insert(source, chance, 0.25),
    "insert 50 %": lambda source, chance: insert(source, chance, 0.5),
    "insert 100 %": lambda source, chance: insert(source, chance, 1.0),
    "insert 50 % + rename": lambda source, chance: rename(insert(source, chance, 0.5), chance),
    "everything": lambda source, chance: reformat(
        rename(insert(extract(loops(literals(source, chance), chance), chance), chance, 0.3), chance), chance
    ),
}
