"""Write the tables of every language as a C header, for native.c: lex_tables.py > lex_tables.h."""

from __future__ import annotations

from copysift.kinds.catalog import languages
from copysift.kinds.lexemes import lengths

_TYPES = {"uint8": "uint8_t", "int32": "int32_t", "uint64": "uint64_t"}
_FIELDS = (
    "classes", "rules", "rule_first", "rule_order", "ops", "op_first", "options", "keywords", "blob"
)  # fmt: skip


def main() -> None:
    """Write arrays, and a function that points a lexer at those of a language."""
    entries = [entry for entry in languages().entries if not entry.language.text]
    tables = [entry.table for entry in entries]
    cases = []
    for number, table in enumerate(tables):
        for name, array in zip(_FIELDS, table.arrays(), strict=True):
            values = ",".join(
                f"{value}u" if value > 2**31 else str(value) for value in array.ravel().tolist()
            )
            values = values.replace("u", "ull") if array.dtype == "uint64" else values
            kind = _TYPES[str(array.dtype)]
            print(f"static const {kind} {name}_{number}[] = {{{values or 0}}};")
        points = " ".join(f"x->{name} = {name}_{number};" for name in _FIELDS)
        cases.append(f"case {number}: {points} x->keyword_mask = {len(table.keywords) - 1}; break;")
    print(f"#define LEX_LANGUAGES {len(tables)}")
    print("static void lex_language(lexer *x, size_t number) {")
    print("    memset(x, 0, sizeof *x);\n    switch (number) {")
    print("    " + "\n    ".join(cases) + "\n    }\n}")
    rows = (",".join(map(str, lengths(entry.language.keywords).tolist())) for entry in entries)
    print("static const uint32_t keyword_lengths[LEX_LANGUAGES][256] = {")
    print(",\n".join(f"{{{row}}}" for row in rows) + "};")
    print("static const uint32_t *lex_lengths(size_t number) { return keyword_lengths[number]; }")


if __name__ == "__main__":
    main()
