"""The hot loops: bytes and integers only, each with a readable twin in `reference/`.

`kernels.selection`, `.text`, `.join` and the other subjects are modules of one edition: the compiled
kernels on AVX2 where the machine has it, or portable C. COPYSIFT_KERNELS forces one: `avx2`,
`portable`, or `reference` (the twins; slow). A forced edition that is missing is an error, never a fall-back.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from copysift.errors import KernelError

if TYPE_CHECKING:
    from copysift.kernels import _batch as batch
    from copysift.kernels import _checksum as checksum
    from copysift.kernels import _files as files
    from copysift.kernels import _join as join
    from copysift.kernels import _jsonl as jsonl
    from copysift.kernels import _lex as lex
    from copysift.kernels import _match as match
    from copysift.kernels import _postings as postings
    from copysift.kernels import _selection as selection
    from copysift.kernels import _shingle as shingle
    from copysift.kernels import _text as text

__all__ = [
    "batch", "checksum", "edition", "files", "join", "jsonl", "lex", "match", "postings", "selection",
    "shingle", "text",
]  # fmt: skip

_SUBJECTS = tuple(name for name in __all__ if name != "edition")
_EDITIONS = ("avx2", "portable", "reference")


def edition() -> str:
    """Name the edition that runs: `avx2`, `portable` or `reference`."""
    wanted = os.environ.get("COPYSIFT_KERNELS", "")
    if wanted == "reference":
        return wanted
    if wanted and wanted not in _EDITIONS:
        raise KernelError(
            f"COPYSIFT_KERNELS={wanted} names no edition of the kernels",
            hint=f"Choose one of {', '.join(_EDITIONS)}, or leave it unset.",
        )
    from copysift.kernels import _selection

    able = _selection.has_avx2()
    if wanted == "avx2" and not able:
        raise KernelError("COPYSIFT_KERNELS=avx2, but this processor has no AVX2", hint="Leave it unset.")
    return "avx2" if able and wanted != "portable" else "portable"


def __getattr__(name: str) -> Any:
    if name not in _SUBJECTS:
        raise AttributeError(name)
    chosen = edition()
    if chosen == "reference":
        module = importlib.import_module(f"copysift.kernels.reference.{name}")
    else:
        module = importlib.import_module(f"copysift.kernels._{name}")
        if hasattr(module, "use_avx2"):
            module.use_avx2(chosen == "avx2")
    globals()[name] = module
    return module
