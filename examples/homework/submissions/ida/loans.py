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


def report(log):
    pages = [int(row[3]) for row in log]
    pages.sort()
    middle = len(pages) // 2
    odd = len(pages) % 2 == 1
    median = pages[middle] if odd else (pages[middle - 1] + pages[middle]) / 2
    print("books lent:", len(pages))
    print("pages: shortest", pages[0], "median", median, "longest", pages[-1])
    print("a shelf of", round(sum(pages) * 0.0001, 2), "metres")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
