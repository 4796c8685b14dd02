"""copysift finds what was copied: in a folder, a class, a corpus or a crawl.

Everything here is loaded when it is first used, so that `import copysift` costs next to nothing.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from copysift._version import __version__

if TYPE_CHECKING:
    from copysift.engine.api import (
        compare,
        compare_folders,
        containment,
        fingerprint,
        resemblance,
        scan,
        show,
    )
    from copysift.engine.corpus.lookups import Run
    from copysift.engine.corpus.memory import cluster, dedup
    from copysift.engine.indexing import Index
    from copysift.errors import (
        CopysiftError,
        EngineError,
        InputError,
        KernelError,
        RunError,
        StoreError,
        UsageError,
    )
    from copysift.values import (
        Cluster,
        Document,
        Fingerprints,
        Folders,
        Group,
        Hit,
        Ignored,
        Indexed,
        Listing,
        Pair,
        Region,
        Result,
        Side,
        Skipped,
    )

_MODULES = {
    "copysift.engine.api": (
        "compare", "compare_folders", "containment", "fingerprint", "resemblance", "scan", "show",
    ),
    "copysift.engine.corpus.lookups": ("Run",),
    "copysift.engine.corpus.memory": ("cluster", "dedup"),
    "copysift.engine.indexing": ("Index",),
    "copysift.errors": (
        "CopysiftError", "EngineError", "InputError", "KernelError", "RunError", "StoreError", "UsageError",
    ),
    "copysift.values": (
        "Cluster", "Document", "Fingerprints", "Folders", "Group", "Hit", "Ignored", "Indexed", "Listing",
        "Pair", "Region", "Result", "Side", "Skipped",
    ),
}  # fmt: skip
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Cluster",
    "CopysiftError",
    "Document",
    "EngineError",
    "Fingerprints",
    "Folders",
    "Group",
    "Hit",
    "Ignored",
    "Index",
    "Indexed",
    "InputError",
    "KernelError",
    "Listing",
    "Pair",
    "Region",
    "Result",
    "Run",
    "RunError",
    "Side",
    "Skipped",
    "StoreError",
    "UsageError",
    "__version__",
    "cluster",
    "compare",
    "compare_folders",
    "containment",
    "dedup",
    "fingerprint",
    "resemblance",
    "scan",
    "show",
]


class _Package(ModuleType):
    """Keeps `copysift.fingerprint` the function: importing the folder of that name would hide it."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'copysift' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
