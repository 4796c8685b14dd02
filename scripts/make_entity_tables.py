"""Write src/copysift/kernels/entity_tables.h: HTML5's named character references, sorted by name.

A name ends with ; unless HTML5 also knows it without. The UTF-8 of a few is longer than the reference
itself (&nGt; is five bytes, its two characters are six); there the sign becomes a space and only
its combining stroke stays, so that what is written over a reference never needs more room.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from copysift.kernels.reference import markup

HEADER = Path(__file__).parents[1] / "src/copysift/kernels/entity_tables.h"


def c_string(name: str, parts: list[bytes]) -> str:
    """Give the C definition of one array of bytes, written as numbers to stay clear of escapes."""
    lines = [",".join(map(str, part)) + "," for part in parts]
    body, line = [], ""
    for item in lines:
        if len(line) + len(item) > 110:
            body.append(line)
            line = ""
        line += item
    return f"static const uint8_t {name}[] = {{\n" + "\n".join([*body, line]) + "\n};\n"


def c_offsets(name: str, parts: list[bytes]) -> str:
    """Give the C definition of where each part begins, and where the last one ends."""
    offsets, at = [0], 0
    for part in parts:
        at += len(part)
        offsets.append(at)
    rows = [",".join(map(str, offsets[i : i + 20])) for i in range(0, len(offsets), 20)]
    return f"static const uint16_t {name}[] = {{\n" + ",\n".join(rows) + "\n};\n"


def main() -> None:
    """Write the header and say how large it is."""
    entities = sorted(markup.ENTITIES.items())
    names, values = [name for name, _ in entities], [value for _, value in entities]
    HEADER.write_text(
        "/* HTML5's named character references: written by scripts/make_entity_tables.py, not by hand. */\n"
        "#ifndef COPYSIFT_ENTITY_TABLES_H\n#define COPYSIFT_ENTITY_TABLES_H\n#include <stdint.h>\n"
        f"#define ENTITIES {len(names)}\n"
        + c_string("ENTITY_NAMES", names)
        + c_offsets("ENTITY_NAME_AT", names)
        + c_string("ENTITY_VALUES", values)
        + c_offsets("ENTITY_VALUE_AT", values)
        + "#endif\n"
    )
    print(f"{HEADER.name}: {HEADER.stat().st_size} bytes, {len(names)} names")


if __name__ == "__main__":
    main()
