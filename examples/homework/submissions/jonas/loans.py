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


if __name__ == "__main__":
    sys.exit(main(sys.argv))
