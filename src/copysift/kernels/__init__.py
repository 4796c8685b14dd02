"""The hot loops: bytes and integers only, each with a readable twin in `reference/`.

`kernels.selection`, `.text`, `.join` and the other subjects are modules of one edition: the compiled
kernels on AVX-512 or AVX2 where the machine has it, on vectors of 16 bytes (SSE4.1 or NEON), or portable C.
COPYSIFT_KERNELS forces one: `avx512`, `avx2`, `vector`, `portable`, or `reference` (the twins; slow). A
forced edition that is missing is an error, never a fall-back. A subject to which AVX-512 brings nothing runs
on AVX2 in the edition `avx512`, and one that has no vectors of 16 bytes is portable in the edition `vector`.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from copysift.errors import KernelError

if TYPE_CHECKING:
    from copysift.kernels import _batch as batch
    from copysift.kernels import _checksum as checksum
    from copysift.kernels import _codes as codes
    from copysift.kernels import _files as files
    from copysift.kernels import _join as join
    from copysift.kernels import _jsonl as jsonl
    from copysift.kernels import _lex as lex
    from copysift.kernels import _lists as lists
    from copysift.kernels import _match as match
    from copysift.kernels import _packed as packed
    from copysift.kernels import _postings as postings
    from copysift.kernels import _selection as selection
    from copysift.kernels import _shingle as shingle
    from copysift.kernels import _text as text

__all__ = [
    "batch", "checksum", "codes", "edition", "files", "join", "jsonl", "lex", "lists", "match", "packed",
    "postings", "selection", "shingle", "text",
]  # fmt: skip

_SUBJECTS = tuple(name for name in __all__ if name != "edition")
_EDITIONS = ("avx512", "avx2", "vector", "portable", "reference")


def edition() -> str:
    """Name the edition that runs: `avx512`, `avx2`, `vector`, `portable` or `reference`."""
    wanted = os.environ.get("COPYSIFT_KERNELS", "")
    if wanted == "reference":
        return wanted
    if wanted and wanted not in _EDITIONS:
        raise KernelError(
            f"COPYSIFT_KERNELS={wanted} names no edition of the kernels",
            hint=f"Choose one of {', '.join(_EDITIONS)}, or leave it unset.",
        )
    from copysift.kernels import _selection, _text

    able = {
        "avx512": _text.has_avx512(),
        "avx2": _text.has_avx2(),
        "vector": _selection.has_vector(),
        "portable": True,
    }
    if wanted and not able[wanted]:
        raise KernelError(
            f"COPYSIFT_KERNELS={wanted}, but this processor has no {wanted.upper()}", hint="Leave it unset."
        )
    return wanted or next(name for name in able if able[name])


def __getattr__(name: str) -> Any:
    if name not in _SUBJECTS:
        raise AttributeError(name)
    chosen = edition()
    if chosen == "reference":
        module = importlib.import_module(f"copysift.kernels.reference.{name}")
    else:
        module = importlib.import_module(f"copysift.kernels._{name}")
        if hasattr(module, "use_avx2"):
            module.use_avx2(chosen in ("avx512", "avx2"))
        if chosen == "vector" and hasattr(module, "use_vector"):
            module.use_vector(True)
        if hasattr(module, "use_avx512"):
            module.use_avx512(chosen == "avx512")
    globals()[name] = module
    return module
