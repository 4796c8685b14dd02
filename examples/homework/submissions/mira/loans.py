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


if __name__ == "__main__":
    sys.exit(main(sys.argv))
