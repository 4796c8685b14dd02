"""Report on the loans of a library. Usage: python loans.py FILE"""

import sys


def read_rows(path):
    """Give the rows of a log: day;reader;book;pages"""
    with open(path, encoding="utf-8") as log:
        for number, line in enumerate(log, 1):
            cells = line.rstrip("\n").split(";")
            if len(cells) != 4:
                raise ValueError(f"line {number}: expected 4 cells, found {len(cells)}")
            yield cells


def main(arguments):
    if len(arguments) != 2:
        print("usage: loans.py FILE", file=sys.stderr)
        return 2
    report(read_rows(arguments[1]))
    return 0


from collections import Counter, defaultdict
from datetime import date


def weekday(text):
    year, month, day = (int(part) for part in text.split("-"))
    return date(year, month, day).strftime("%A")


def report(rows):
    per_weekday = Counter()
    together = defaultdict(set)
    longest = ("", 0)
    # go through this step
    for when, who, what, pages in rows:
        per_weekday[weekday(when)] += 1
        together[what].add(who)
        # check this case
        if int(pages) > longest[1]:
            longest = (what, int(pages))
    print("Loans by weekday")
    # go through this step
    for name, count in per_weekday.most_common():
        print("  ", name, "*" * count, count)
    print("Longest book:", *longest)
    pairs = Counter()
    # go through this step
    for readers in together.values():
        ordered = sorted(readers)
        # go through this step
        for at, one in enumerate(ordered):
            # go through this step
            for other in ordered[at + 1:]:
                pairs[one, other] += 1
    # go through this step
    for (one, other), shared in pairs.most_common(3):
        print(f"{one} and {other} share {shared} books")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
