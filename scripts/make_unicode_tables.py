"""Write src/copysift/kernels/unicode_tables.h from the running Python's unicodedata.

One record index for each code point in two levels (cells of 64, equal cells shared). An index below
UNI_SIMPLE names a (kind, delta) record: the code point folds to itself + delta. Any other index is
the place of an expansion in UNI_POOL: its length, then its code points, each times 8 plus its kind.
Run it again with a newer Python to move to a newer Unicode.
"""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from copysift.kernels.reference import text

SHIFT = 6
HEADER = Path(__file__).parents[1] / "src/copysift/kernels/unicode_tables.h"


def c_array(name: str, kind: str, values: list[int]) -> str:
    """Give the C definition of a constant array, as short as it can be written."""
    body, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > 110:
            body.append(line)
            line = ""
        line += item
    return f"static const {kind} {name}[{len(values)}] = {{\n" + "\n".join([*body, line]) + "\n};\n"


def records() -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """Give the simple records, the pool of expansions and the record index of every code point."""
    folds = [text.folded(point) for point in range(0x110000)]
    kinds = [text.kind(point) for point in range(0x110000)]
    deltas: dict[tuple[int, int], int] = {}
    for point, fold in enumerate(folds):
        key = (kinds[point], fold[0] - point)
        if len(fold) == 1 and kinds[point] == kinds[fold[0]]:
            deltas[key] = deltas.get(key, 0) + 1
    # A delta that few code points share costs less as an expansion of length one.
    often = {key for key, count in deltas.items() if count >= 3 or key[1] == 0}
    simple = {key: place for place, key in enumerate(sorted(often, key=lambda k: (k[1] != 0, k)))}
    pool: list[int] = []
    places: dict[tuple[int, ...], int] = {}
    index = []
    for point, fold in enumerate(folds):
        place = simple.get((kinds[point], fold[0] - point))
        if len(fold) > 1 or place is None or kinds[point] != kinds[fold[0]]:
            if fold not in places:
                places[fold] = len(pool)
                pool += [len(fold), *(part * 8 + kinds[part] for part in fold)]
            place = len(simple) + places[fold]
        index.append(place)
    return list(simple), pool, index


def main() -> None:
    """Write the header and say how large it is."""
    simple, pool, index = records()
    cells: dict[tuple[int, ...], int] = {}
    first = []
    for start in range(0, 0x110000, 1 << SHIFT):
        cell = tuple(index[start : start + (1 << SHIFT)])
        first.append(cells.setdefault(cell, len(cells)))
    second = [place for cell in cells for place in cell]
    HEADER.write_text(
        "/* What every code point folds to: written by scripts/make_unicode_tables.py, not by hand. */\n"
        "#ifndef COPYSIFT_UNICODE_TABLES_H\n#define COPYSIFT_UNICODE_TABLES_H\n#include <stdint.h>\n"
        f'#define UNI_VERSION "{unicodedata.unidata_version}"\n'
        f"#define UNI_SHIFT {SHIFT}\n#define UNI_SIMPLE {len(simple)}\n"
        + c_array("UNI_FIRST", "uint16_t", first)
        + c_array("UNI_SECOND", "uint16_t", second)
        + c_array("UNI_KIND", "uint8_t", [kind for kind, _ in simple])
        + c_array("UNI_DELTA", "int32_t", [delta for _, delta in simple])
        + c_array("UNI_POOL", "uint32_t", pool)
        + "#endif\n"
    )
    print(f"{HEADER.name}: {HEADER.stat().st_size} bytes, {len(simple)} records, {len(pool)} in the pool")


if __name__ == "__main__":
    main()
