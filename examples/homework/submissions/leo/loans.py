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


if __name__ == "__main__":
    sys.exit(main(sys.argv))
