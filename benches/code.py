"""One assignment in C++: copysift beside copydetect and dolos-lib, in one run.

    python benches/code.py [--files 1000] [--folder DIR] [--dolos DIR] [--copydetect PYTHON] [--scale]

Every file is one student's answer to the same assignment, about 4 KB: the same functions, written by
templates with many small choices, so that idiom is shared by most and a few are copies. Each tool
compares all with all in a process of its own; time and largest memory are those of that process.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TYPES = ("int", "long", "long long", "double", "size_t")
NAMES = [
    "value",
    "total",
    "count",
    "result",
    "temp",
    "sum",
    "item",
    "data",
    "node",
    "index",
    "left",
    "right",
    "best",
    "cur",
    "prev",
    "answer",
    "size",
    "limit",
]
IDIOMS = (
    "for (int {i} = 0; {i} < {n}; {i}++) {{\n        {a} += {v}[{i}] * {k};\n    }}",
    "for (auto &{i} : {v}) {{\n        {a} += {i} + {k};\n    }}",
    "int {i} = 0;\n    while ({i} < {n}) {{\n        if ({v}[{i}] > {k}) {a} = {v}[{i}];\n        ++{i};\n    }}",  # noqa: E501 - a line of C++
    "if ({a} > {k}) {{\n        {a} = {a} - {k};\n    }} else {{\n        {a} = {k} - {a};\n    }}",
    "std::sort({v}.begin(), {v}.end());\n    {a} = {v}.empty() ? {k} : {v}.front();",
    "{a} = std::max({a}, static_cast<{t}>({k}));",
    "std::cout << \"{w} \" << {a} << std::endl;",
    "switch ({a} % {m}) {{\n    case 0: {a} += {k}; break;\n    case 1: {a} -= {k}; break;\n    default: break;\n    }}",  # noqa: E501 - a line of C++
    "{t} {i} = {a} * {k} + {n};\n    {a} = {i} % {m};",
    "do {{\n        {a} = {a} / {m} + {k};\n    }} while ({a} > {n});",
)  # fmt: skip
HEAD = (
    "#include <iostream>\n#include <vector>\n#include <algorithm>\n#include <string>\n"
    "using namespace std;\n\n"
)


OPERATORS = ("+", "-", "*", "/", "%", "<<", "&", "|", "^")


def expression(chance: random.Random, names: tuple[str, ...], depth: int) -> str:
    """Write an expression as one student would."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice((*names, str(chance.randint(0, 99))))
    form = chance.randrange(5)
    inner = [expression(chance, names, depth - 1) for _ in range(2)]
    if form == 0:
        return f"({inner[0]} {chance.choice(OPERATORS)} {inner[1]})"
    if form == 1:
        return f"std::{chance.choice(('max', 'min', 'abs', 'pow'))}({inner[0]}, {inner[1]})"
    if form == 2:
        return f"({inner[0]} > {inner[1]} ? {names[0]} : {inner[1]})"
    return f"{inner[0]} {chance.choice(OPERATORS)} {inner[1]}"


def statement(chance: random.Random, names: tuple[str, ...]) -> str:
    """Write a statement that is not everybody's."""
    values = [expression(chance, names, chance.randint(1, 3)) for _ in range(2)]
    form = chance.choice(
        (
            "{0} = {1};",
            "{0} += {1};",
            "if ({1} < {2}) {0} = {2};",
            "while ({0} > {1}) {{ {0} -= {2}; }}",
            "{0} = {1}; {0} -= {2};",
        )
    )
    return form.format(names[0], *values)


def program(chance: random.Random) -> str:
    """Write one student's program."""
    parts, names = [HEAD], []
    for number in range(chance.randint(9, 13)):
        t, a, v = chance.choice(TYPES), chance.choice(NAMES), "numbers" if chance.random() < 0.5 else "values"
        names.append(f"{chance.choice(NAMES)}_{number}")
        body = [
            statement(chance, (a, "n", "i"))
            if chance.random() < 0.5
            else chance.choice(IDIOMS).format(
                i=chance.choice("ijkpq"), n=f"{v}.size()", a=a, v=v, k=chance.randint(1, 99), t=t,
                m=chance.randint(2, 17), w=chance.choice(NAMES).title(),
            )
            for _ in range(chance.randint(3, 6))
        ]  # fmt: skip
        lines = "\n    ".join([f"{t} {a} = {chance.randint(0, 9)};", *body, f"return {a};"])
        parts.append(f"{t} {names[-1]}(std::vector<int> {v}) {{\n    {lines}\n}}\n\n")
    calls = "\n    ".join(f"cout << {name}(input) << endl;" for name in names)
    parts.append(
        f"int main() {{\n    int n;\n    cin >> n;\n    vector<int> input(n);\n"
        f"    for (int i = 0; i < n; i++) cin >> input[i];\n    {calls}\n    return 0;\n}}\n"
    )
    return "".join(parts)


def write(folder: Path, files: int) -> None:
    """Write the programs; one in fifty is a copy with other names and numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    chance, made = random.Random(1997), []
    for number in range(files):
        text = program(chance)
        if number % 50 == 49:
            text = (
                chance.choice(made[-40:]).replace("numbers", "xs").replace("total", "acc").replace(" 7", " 8")
            )
        made.append(text)
        (folder / f"student{number:05}.cpp").write_text(text)


COPYSIFT = """
import sys, copysift
result = copysift.scan(sys.argv[1])
print(len(result.pairs))
"""
COPYDETECT = """
import sys, glob, logging
import copydetect
detector = copydetect.CopyDetector(noise_t=25, guarantee_t=50, display_t=0.25, silent=True)
for name in sorted(glob.glob(sys.argv[1] + "/*.cpp")): detector.add_file(name)
detector.run()
print(len(detector.get_copied_code_list()))
"""
DOLOS = """
import { Dolos } from "@dodona/dolos-lib";
import { readdirSync } from "node:fs";
const folder = process.argv[2];
const report = await new Dolos({ language: "cpp" }).analyzePaths(
  readdirSync(folder).sort().map((f) => folder + "/" + f));
console.log(report.allPairs().filter((p) => p.similarity >= 0.25).length);
"""


def timed(command: list[str], **options: object) -> tuple[float, float, str]:
    """Run a process; give seconds, largest memory in MB and what it printed last."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options
    )  # type: ignore[call-overload]
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    last = printed.strip().splitlines()[-1] if printed.strip() else f"failed ({process.returncode})"
    return seconds, usage.ru_maxrss / 1000, last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--folder", type=Path, help="where the programs are written")
    parser.add_argument("--dolos", type=Path, help="a folder with node_modules/@dodona/dolos-lib")
    parser.add_argument("--copydetect", help="a Python that has copydetect")
    parser.add_argument("--scale", action="store_true", help="also five times the files")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp())
    write(folder / "once", given.files)
    size = sum(path.stat().st_size for path in (folder / "once").iterdir()) / given.files
    print(f"{given.files} files of {size:,.0f} bytes on average")
    found: dict[str, tuple[float, float, str]] = {}

    def run(name: str, command: list[str], **options: object) -> None:
        found[name] = seconds, memory, pairs = timed(command, **options)
        factor = seconds / found["copysift"][0]
        print(f"{name:<32} {seconds:8.2f} s {memory:8.0f} MB {pairs:>10} pairs  {factor:6.1f} x", flush=True)

    run("copysift", [sys.executable, "-c", COPYSIFT, str(folder / "once")])
    if given.scale:
        write(folder / "five", 5 * given.files)
        run("copysift, five times the files", [sys.executable, "-c", COPYSIFT, str(folder / "five")])
    if given.dolos:
        script = given.dolos / "bench.mjs"
        script.write_text(DOLOS)
        run("dolos-lib", ["node", str(script), str(folder / "once")], cwd=str(given.dolos))
    if given.copydetect:
        run("copydetect", [given.copydetect, "-c", COPYDETECT, str(folder / "once")])


if __name__ == "__main__":
    main()
