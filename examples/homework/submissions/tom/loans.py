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
    borrowed = {}
    read_pages = {}
    for day, client, item, pages in rows:
        borrowed.setdefault(item, []).append((day, client))
        read_pages[client] = read_pages.get(client, 0) + int(pages)
    print_favourites(borrowed)
    print_readers(read_pages)


def print_favourites(borrowed, most=5):
    """List the books that were lent most often, ties by title."""
    ordering = sorted(borrowed.items(), key=lambda item: (-len(item[1]), item[0]))
    for rank, (item, events) in enumerate(ordering[:most], 1):
        first_day, first_reader = events[0]
        print(f"{rank}. {item}: {len(events)} borrowed, first by {first_reader} on {first_day}")


def print_readers(read_pages):
    all_pages = sum(read_pages.values())
    if all_pages == 0:
        print("nobody has read anything")
        return
    for client in sorted(read_pages, key=read_pages.get, reverse=True):
        percentage = 100 * read_pages[client] / all_pages
        print(f"{client:<20} {read_pages[client]:>6} pages {percentage:5.1f} %")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
