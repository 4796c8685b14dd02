"""One assignment in C++ as a class hands it in: most of the code is idiom, a little is everybody's own.

The task has a head, twelve functions and a menu. Everybody writes all of them. For each there are a few ways, one of
them the usual one, and in each way small choices that change tokens (`++i` or `i++`, a reference or a
copy, braces or none). A share OWN of the statements is the student's own: expressions that nobody else
writes. One program in fifty is a copy of an earlier one with other names, numbers, layout and comments, and
with a few statements put in.
"""

# ruff: noqa: E501 - a function of the class is easier to read as one long template than in pieces

from __future__ import annotations

import random
import re
from pathlib import Path

OWN = 0.2  # of the statements are of nobody else
COPY_EVERY = 50
NAMES = [
    "values",
    "numbers",
    "marks",
    "scores",
    "data",
    "items",
    "list",
    "arr",
    "vec",
    "input",
    "xs",
    "nums",
    "result",
    "total",
    "sum",
    "answer",
    "acc",
    "best",
    "count",
    "temp",
    "res",
    "out",
    "left",
    "right",
    "lo",
    "hi",
    "cur",
    "prev",
    "target",
    "key",
    "limit",
    "index",
    "pos",
    "avg",
    "mean",
    "spread",
    "size_",
    "len",
    "n_",
    "row",
    "col",
    "word",
]

# Each function: ways to write it, the usual one first. [a|b|c] is a choice, ~ marks a place for own code,
# @v a vector, @r a result, @i and @j counters, @x a value, # a number.
HEAD = """#include <iostream>
#include <vector>
[#include <string>
#include <algorithm>|#include <algorithm>
#include <string>|#include <string>
#include <algorithm>
#include <iomanip>|#include <bits/stdc++.h>]
[using namespace std;|using namespace std;|using std::cin; using std::cout; using std::endl; using std::vector; using std::string;]
"""
LOOP = "for ([int|size_t|unsigned] @i = 0; @i < @v.size(); [@i++|++@i])"
PARAMETER = "[const vector<int>& @v|vector<int>& @v|vector<int> @v]"
FUNCTIONS = (
    (
        f"int sumOf({PARAMETER}) {{\n    int @r = 0;\n    ~\n    {LOOP} {{\n        @r [+= @v[@i]|= @r + @v[@i]];\n    }}\n    ~\n    return @r;\n}}",
        f"int sumOf({PARAMETER}) {{\n    int @r = 0;\n    ~\n    for ([int|auto|const auto&] @x : @v) {{\n        @r += @x;\n    }}\n    ~\n    return @r;\n}}",
        f"int sumOf({PARAMETER}) {{\n    ~\n    return accumulate(@v.begin(), @v.end(), 0);\n}}",
    ),
    (
        f"double averageOf({PARAMETER}) {{\n    if ([@v.empty()|@v.size() == 0]) [return 0;|return 0.0;|{{\n        return 0;\n    }}]\n    ~\n    return [(double)sumOf(@v) / @v.size()|static_cast<double>(sumOf(@v)) / @v.size()|sumOf(@v) * 1.0 / @v.size()];\n}}",
        f"double averageOf({PARAMETER}) {{\n    double @r = 0;\n    {LOOP} {{\n        @r += @v[@i];\n        ~\n    }}\n    return @r / @v.size();\n}}",
    ),
    (
        f"int largest({PARAMETER}) {{\n    int @r = @v[0];\n    ~\n    for (int @i = [0|1]; @i < @v.size(); [@i++|++@i]) {{\n        if (@v[@i] > @r) [@r = @v[@i];|{{\n            @r = @v[@i];\n        }}]\n    }}\n    ~\n    return @r;\n}}",
        f"int largest({PARAMETER}) {{\n    int @r = [-1|0|INT_MIN];\n    ~\n    for (int @x : @v) {{\n        @r = max(@r, @x);\n    }}\n    return @r;\n}}",
        f"int largest({PARAMETER}) {{\n    ~\n    return *max_element(@v.begin(), @v.end());\n}}",
    ),
    (
        f"int smallest({PARAMETER}) {{\n    int @r = @v[0];\n    ~\n    for (int @i = [0|1]; @i < @v.size(); [@i++|++@i]) {{\n        if (@v[@i] < @r) [@r = @v[@i];|{{\n            @r = @v[@i];\n        }}]\n    }}\n    ~\n    return @r;\n}}",
        f"int smallest({PARAMETER}) {{\n    int @r = @v[0];\n    ~\n    for (int @x : @v) {{\n        if (@x < @r) @r = @x;\n    }}\n    return @r;\n}}",
    ),
    (
        "void sortAll(vector<int>& @v) {\n    ~\n    for (int @i = 0; @i < @v.size() [- 1|]; [@i++|++@i]) {\n        for (int @j = 0; @j < @v.size() - [@i - 1|1]; [@j++|++@j]) {\n            if (@v[@j] > @v[@j + 1]) {\n                [int @x = @v[@j];\n                @v[@j] = @v[@j + 1];\n                @v[@j + 1] = @x;|swap(@v[@j], @v[@j + 1]);]\n            }\n        }\n    }\n    ~\n}",
        "void sortAll(vector<int>& @v) {\n    for (int @i = 0; @i < @v.size(); [@i++|++@i]) {\n        int @x = @i;\n        ~\n        for (int @j = @i + 1; @j < @v.size(); [@j++|++@j]) {\n            if (@v[@j] < @v[@x]) [@x = @j;|{\n                @x = @j;\n            }]\n        }\n        swap(@v[@i], @v[@x]);\n    }\n}",
        "void sortAll(vector<int>& @v) {\n    for (int @i = 1; @i < @v.size(); @i++) {\n        int @x = @v[@i];\n        int @j = @i - 1;\n        ~\n        while (@j >= 0 && @v[@j] > @x) {\n            @v[@j + 1] = @v[@j];\n            [@j--;|--@j;|@j = @j - 1;]\n        }\n        @v[@j + 1] = @x;\n    }\n}",
        "void sortAll(vector<int>& @v) {\n    ~\n    sort(@v.begin(), @v.end());\n}",
    ),
    (
        f"int find({PARAMETER}, int @x) {{\n    {LOOP} {{\n        if (@v[@i] == @x) [return @i;|{{\n            return @i;\n        }}]\n        ~\n    }}\n    ~\n    return -1;\n}}",
        f"int find({PARAMETER}, int @x) {{\n    int @r = 0, @j = @v.size() - 1;\n    ~\n    while (@r <= @j) {{\n        int @i = [(@r + @j) / 2|@r + (@j - @r) / 2];\n        if (@v[@i] == @x) return @i;\n        [if (@v[@i] < @x) @r = @i + 1;\n        else @j = @i - 1;|else if (@v[@i] < @x) @r = @i + 1;\n        else @j = @i - 1;]\n    }}\n    return -1;\n}}",
    ),
    (
        f"int countAbove({PARAMETER}, [int|double] @x) {{\n    int @r = 0;\n    ~\n    {LOOP} {{\n        if (@v[@i] [>|>=] @x) [@r++;|++@r;|@r += 1;]\n    }}\n    ~\n    return @r;\n}}",
        f"int countAbove({PARAMETER}, [int|double] @x) {{\n    int @r = 0;\n    for (auto @i : @v) {{\n        if (@i > @x) {{\n            @r++;\n        }}\n        ~\n    }}\n    return @r;\n}}",
    ),
    (
        "void reverseAll(vector<int>& @v) {\n    ~\n    for (int @i = 0; @i < @v.size() / 2; [@i++|++@i]) {\n        [int @x = @v[@i];\n        @v[@i] = @v[@v.size() - 1 - @i];\n        @v[@v.size() - 1 - @i] = @x;|swap(@v[@i], @v[@v.size() - @i - 1]);]\n    }\n}",
        "void reverseAll(vector<int>& @v) {\n    int @i = 0, @j = @v.size() - 1;\n    ~\n    while (@i < @j) {\n        swap(@v[@i], @v[@j]);\n        [@i++;\n        @j--;|++@i;\n        --@j;]\n    }\n}",
        "void reverseAll(vector<int>& @v) {\n    ~\n    reverse(@v.begin(), @v.end());\n}",
    ),
    (
        f"double spread({PARAMETER}) {{\n    double @x = averageOf(@v);\n    double @r = 0;\n    ~\n    {LOOP} {{\n        @r += (@v[@i] - @x) * (@v[@i] - @x);\n    }}\n    return [sqrt(@r / @v.size())|@r / @v.size()|sqrt(@r / (@v.size() - 1))];\n}}",
        f"double spread({PARAMETER}) {{\n    ~\n    return largest(@v) - smallest(@v);\n}}",
    ),
    (
        f"void histogram({PARAMETER}) {{\n    {LOOP} {{\n        cout << @v[@i] << [\": \"|\" \"|\"\\t\"];\n        for (int @j = 0; @j < @v[@i]; [@j++|++@j]) [cout << \"*\";|{{\n            cout << \"*\";\n        }}]\n        ~\n        cout << [endl|\"\\n\"];\n    }}\n    ~\n}}",
        f"void histogram({PARAMETER}) {{\n    for (int @x : @v) {{\n        ~\n        cout << string(@x, '*') << endl;\n    }}\n}}",
    ),
    (
        f"void printAll({PARAMETER}) {{\n    ~\n    {LOOP} {{\n        cout << @v[@i] << \" \";\n    }}\n    cout << [endl|\"\\n\"];\n}}",
        f"void printAll({PARAMETER}) {{\n    for ([int|auto] @x : @v) [cout << @x << \" \";|{{\n        cout << @x << \" \";\n    }}]\n    ~\n    cout << endl;\n}}",
    ),
    (
        "bool isPrime(int @x) {\n    if (@x < 2) return false;\n    ~\n    for (int @i = 2; @i * @i <= @x; [@i++|++@i]) {\n        if (@x % @i == 0) [return false;|{\n            return false;\n        }]\n    }\n    return true;\n}",
        "bool isPrime(int @x) {\n    bool @r = true;\n    for (int @i = 2; @i < @x; @i++) {\n        if (@x % @i == 0) {\n            @r = false;\n            ~\n        }\n    }\n    return @r;\n}",
    ),
)  # fmt: skip
MAIN = """int main() {
    int @x;
    [cout << "How many? ";
    |]cin >> @x;
    vector<int> @v[(@x);
    for (int @i = 0; @i < @x; @i++) [cin >> @v[@i];|{
        cin >> @v[@i];
    }]|;
    for (int @i = 0; @i < @x; @i++) {
        int @j;
        cin >> @j;
        @v.push_back(@j);
    }]
    ~
    cout << "Sum: " << sumOf(@v) << [endl|"\\n"];
    cout << "Average: " << averageOf(@v) << [endl|"\\n"];
    cout << "Largest: " << largest(@v) << endl;
    cout << "Smallest: " << smallest(@v) << endl;
    ~
    sortAll(@v);
    printAll(@v);
    cout << find(@v, #) << " " << countAbove(@v, [#|averageOf(@v)]) << endl;
    reverseAll(@v);
    histogram(@v);
    ~
    return 0;
}
"""
CHOICE = re.compile(r"\[((?:[^\[\]]|@\w\[[^\[\]]*\])*\|(?:[^\[\]]|@\w\[[^\[\]]*\])*)\]")
OPERATORS = ("+", "-", "*", "/", "%", "<<", "&", "|", "^")


def chosen(template: str, chance: random.Random) -> str:
    """Settle the choices of a template, the inner ones first."""

    def settle(found: re.Match[str]) -> str:
        ways = found[1].split("|")
        return ways[0] if chance.random() < 0.6 else chance.choice(ways)

    while CHOICE.search(template):
        template = CHOICE.sub(settle, template)
    return template


def expression(chance: random.Random, depth: int) -> str:
    """Write an expression as one student would."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(("@x", "@i", str(chance.randint(0, 99))))
    inner = [expression(chance, depth - 1) for _ in range(2)]
    form = chance.randrange(5)
    if form == 0:
        return f"({inner[0]} {chance.choice(OPERATORS)} {inner[1]})"
    if form == 1:
        return f"{chance.choice(('max', 'min', 'pow', 'hypot'))}({inner[0]}, {inner[1]})"
    if form == 2:
        return f"({inner[0]} > {inner[1]} ? @x : {inner[1]})"
    return f"{inner[0]} {chance.choice(OPERATORS)} {inner[1]}"


def statement(chance: random.Random) -> str:
    """Write a statement that is not everybody's."""
    values = [expression(chance, chance.randint(1, 3)) for _ in range(2)]
    form = chance.choice(
        (
            "@x = {0};",
            "@x += {0};",
            "if ({0} < {1}) @x = {1};",
            "while (@x > {0}) {{ @x -= {1}; }}",
            'cout << "@r" << {0} << endl;',
        )
    )
    return form.format(*values)


def named(text: str, chance: random.Random) -> str:
    """Put names and numbers in."""
    names = dict(zip("vrx", chance.sample(NAMES, 3), strict=True))
    names |= dict(zip("ij", chance.sample("ijkpqab", 2), strict=True))
    text = re.sub(r"@(\w)", lambda found: names[found[1]], text)
    return re.sub(r"#(?!include)", lambda _: str(chance.randint(1, 99)), text)


def program(chance: random.Random, own: float = OWN) -> str:
    """Write one student's program."""
    parts = [named(chosen(HEAD, chance), chance)]
    for ways in FUNCTIONS:
        way = ways[0] if chance.random() < 0.5 else chance.choice(ways)
        parts.append(_filled(way, chance, own))
    parts.append(_filled(MAIN, chance, own))
    return "\n\n".join(parts)


def _filled(template: str, chance: random.Random, own: float) -> str:
    """Settle the choices, write own statements where there is a place, and name things."""
    text = chosen(template, chance)
    idiom = text.count(";")
    places = text.count("~")
    wanted = own / (1 - own) * idiom / max(places, 1)
    lines = []
    for line in text.split("\n"):
        if line.strip() != "~":
            lines.append(line)
            continue
        number = int(wanted) + (chance.random() < wanted - int(wanted))
        lines += [line.replace("~", statement(chance)) for _ in range(number)]
    return named("\n".join(lines), chance)


def disguised(text: str, chance: random.Random) -> str:
    """Copy a program: other names, numbers, layout, comments, and a few statements more."""
    for name in NAMES:
        text = re.sub(rf"\b{name}\b", f"my{name.title()}", text)
    lines = []
    for line in text.split("\n"):
        lines.append(line.replace("    ", "  "))
        if line.rstrip().endswith("{") and line.startswith(" ") and chance.random() < 0.1:
            lines.append(f"  int extra{len(lines)} = {chance.randint(0, 99)};  // changed")
    return "\n".join(lines)


def write(folder: Path, files: int, own: float = OWN) -> None:
    """Write the programs of a class; those whose number ends a fifty are copies."""
    folder.mkdir(parents=True, exist_ok=True)
    chance, made = random.Random(1997), []
    for number in range(files):
        text = program(chance, own)
        if number % COPY_EVERY == COPY_EVERY - 1:
            text = disguised(chance.choice(made[-40:]), chance)
        made.append(text)
        (folder / f"student{number:05}.cpp").write_text(text)
