"""Make examples/homework: a small class with its starter code, an earlier year, copies and a table.

Everything here was written for it. The task: read a log of library loans and report on it.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1] / "examples" / "homework"
REMARKS = {"for": "# go through this step", "if": "# check this case"}

STARTER = '''"""Report on the loans of a library. Usage: python loans.py FILE"""

import sys


def read_rows(path):
    """Give the rows of a log: day;reader;book;pages"""
    with open(path, encoding="utf-8") as log:
        for number, line in enumerate(log, 1):
            cells = line.rstrip("\\n").split(";")
            if len(cells) != 4:
                raise ValueError(f"line {number}: expected 4 cells, found {len(cells)}")
            yield cells


def main(arguments):
    if len(arguments) != 2:
        print("usage: loans.py FILE", file=sys.stderr)
        return 2
    report(read_rows(arguments[1]))
    return 0

'''

END = """

if __name__ == "__main__":
    sys.exit(main(sys.argv))
"""

MIRA = '''
def report(rows):
    loans = {}
    pages_by_reader = {}
    for day, reader, book, pages in rows:
        loans.setdefault(book, []).append((day, reader))
        pages_by_reader[reader] = pages_by_reader.get(reader, 0) + int(pages)
    print_favourites(loans)
    print_readers(pages_by_reader)


def print_favourites(loans, most=5):
    """List the books that were lent most often, ties by title."""
    ranked = sorted(loans.items(), key=lambda item: (-len(item[1]), item[0]))
    for place, (book, history) in enumerate(ranked[:most], 1):
        first_day, first_reader = history[0]
        print(f"{place}. {book}: {len(history)} loans, first by {first_reader} on {first_day}")


def print_readers(pages_by_reader):
    total = sum(pages_by_reader.values())
    if total == 0:
        print("nobody has read anything")
        return
    for reader in sorted(pages_by_reader, key=pages_by_reader.get, reverse=True):
        share = 100 * pages_by_reader[reader] / total
        print(f"{reader:<20} {pages_by_reader[reader]:>6} pages {share:5.1f} %")
'''

JONAS = '''
class Shelf:
    """Counts what happens to one book."""

    def __init__(self, title):
        self.title = title
        self.days = []
        self.people = set()

    def lend(self, day, person):
        self.days.append(day)
        self.people.add(person)

    def busiest_month(self):
        months = {}
        for day in self.days:
            month = day[:7]
            months[month] = months.get(month, 0) + 1
        return max(months, key=lambda month: (months[month], month))

    def __str__(self):
        return f"{self.title} ({len(self.days)} times, {len(self.people)} people, in {self.busiest_month()})"


def report(rows):
    shelves = {}
    for day, person, title, _ in rows:
        if title not in shelves:
            shelves[title] = Shelf(title)
        shelves[title].lend(day, person)
    for shelf in sorted(shelves.values(), key=lambda each: each.title.lower()):
        print(shelf)
    lonely = [shelf.title for shelf in shelves.values() if len(shelf.people) == 1]
    if lonely:
        print("read by one person only:", ", ".join(sorted(lonely)))
'''

AYSE = """
from collections import Counter, defaultdict
from datetime import date


def weekday(text):
    year, month, day = (int(part) for part in text.split("-"))
    return date(year, month, day).strftime("%A")


def report(rows):
    per_weekday = Counter()
    together = defaultdict(set)
    longest = ("", 0)
    for when, who, what, pages in rows:
        per_weekday[weekday(when)] += 1
        together[what].add(who)
        if int(pages) > longest[1]:
            longest = (what, int(pages))
    print("Loans by weekday")
    for name, count in per_weekday.most_common():
        print("  ", name, "*" * count, count)
    print("Longest book:", *longest)
    pairs = Counter()
    for readers in together.values():
        ordered = sorted(readers)
        for at, one in enumerate(ordered):
            for other in ordered[at + 1:]:
                pairs[one, other] += 1
    for (one, other), shared in pairs.most_common(3):
        print(f"{one} and {other} share {shared} books")
"""

LEO = """
def report(rows):
    data = list(rows)
    if not data:
        print("the log is empty")
        return
    print(len(data), "loans from", data[0][0], "to", data[-1][0])
    show_months(data)
    show_top(data, column=1, title="Readers")
    show_top(data, column=2, title="Books")


def show_months(data):
    month, count = None, 0
    for day, *_ in data + [("9999-99",)]:
        if day[:7] != month:
            if month is not None:
                print(month, "#" * count)
            month, count = day[:7], 0
        count += 1


def show_top(data, column, title, size=3):
    counted = {}
    for row in data:
        counted[row[column]] = counted.get(row[column], 0) + 1
    best = []
    for name, count in counted.items():
        best.append((count, name))
        best.sort(reverse=True)
        del best[size:]
    print(title + ":")
    for count, name in best:
        print("   %-25s %4d" % (name, count))
"""

IDA = """
def report(log):
    pages = [int(row[3]) for row in log]
    pages.sort()
    middle = len(pages) // 2
    odd = len(pages) % 2 == 1
    median = pages[middle] if odd else (pages[middle - 1] + pages[middle]) / 2
    print("books lent:", len(pages))
    print("pages: shortest", pages[0], "median", median, "longest", pages[-1])
    print("a shelf of", round(sum(pages) * 0.0001, 2), "metres")
"""

NOTES = {
    "mira": "I kept a list of loans for each book, because the first reader is asked for.\n",
    "jonas": "A class for each book made the months easy to count.\n",
}


def renamed(source: str, names: dict[str, str]) -> str:
    """Rename words, as somebody who hides a copy does."""
    return re.sub(r"\w+", lambda found: names.get(found.group(), found.group()), source)


def reordered(source: str) -> str:
    """Turn the order of the functions round."""
    parts = re.split(r"\n(?=def |class )", source.strip("\n"))
    return "\n" + "\n\n".join(part.rstrip("\n") + "\n" for part in reversed(parts))


def commented(source: str) -> str:
    """Put a comment before every loop and choice."""
    lines = []
    for line in source.split("\n"):
        word = line.strip().partition(" ")[0]
        if word in REMARKS:
            lines.append(f"{line[: len(line) - len(line.lstrip())]}{REMARKS[word]}")
        lines.append(line)
    return "\n".join(lines)


def submissions() -> dict[str, dict[str, str]]:
    """Give the files of every submission."""
    disguise = {
        "loans": "borrowed", "pages_by_reader": "read_pages", "book": "item", "reader": "client",
        "ranked": "ordering",
        "history": "events", "place": "rank", "total": "all_pages", "share": "percentage",
    }  # fmt: skip
    half = AYSE[: AYSE.index("    pairs = Counter()")] + '    print("done")\n'
    return {
        "mira": {"loans.py": STARTER + MIRA + END, "notes.txt": NOTES["mira"]},
        "jonas": {"loans.py": STARTER + JONAS + END, "notes.txt": NOTES["jonas"]},
        "ayse": {"loans.py": STARTER + AYSE + END},
        "leo": {"loans.py": STARTER + LEO + END},
        "tom": {"loans.py": STARTER + renamed(MIRA, disguise) + END},
        "nele": {"loans.py": STARTER + reordered(commented(MIRA)) + END},
        "emil": {"loans.py": STARTER + JONAS + END, "notes.txt": NOTES["jonas"]},
        "zoe": {"src/loans.py": STARTER + half + END, "src/extra.py": LEO[LEO.index("def show_months") :]},
        "ida": {"loans.py": STARTER + IDA + END},
        "kai": {"loans.py": STARTER + END},
    }


METADATA = """name,label,author,team,time,attempt
mira,Mira Berg,mberg,,2026-05-04 18:20,1
jonas,Jonas Ott,jott,red,2026-05-04 21:02,1
emil,Emil Frank,efrank,red,2026-05-04 21:05,1
ayse,Ayşe Kaya,akaya,,2026-05-05 09:41,1
leo,Leo Martin,lmartin,,2026-05-05 11:13,2
tom,Tom Weiss,tweiss,,2026-05-05 23:50,1
nele,Nele Holm,nholm,,2026-05-05 23:58,3
zoe,Zoé Petit,zpetit,,2026-05-06 08:00,1
ida,Ida Lund,ilund,,2026-05-06 10:30,1
kai,Kai Brandt,kbrandt,,2026-05-06 11:59,1
"""


def main(root: Path = ROOT) -> None:
    """Write the class."""
    shutil.rmtree(root, ignore_errors=True)
    files = {"starter/loans.py": STARTER + END, "submissions.csv": METADATA}
    for name, content in submissions().items():
        files |= {f"submissions/{name}/{file}": text for file, text in content.items()}
    files["earlier/2025/hanna/loans.py"] = STARTER + commented(AYSE) + END
    for name, text in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
