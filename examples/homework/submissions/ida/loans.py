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
    pass


if __name__ == "__main__":
    sys.exit(main(sys.argv))
