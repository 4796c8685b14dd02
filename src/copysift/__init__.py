"""copysift finds what was copied: in a folder, a class, a corpus or a crawl.

Everything here is loaded when it is first used, so that `import copysift` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copysift._version import __version__

if TYPE_CHECKING:
    from copysift.errors import (
        CopysiftError,
        EngineError,
        InputError,
        KernelError,
        RunError,
        StoreError,
        UsageError,
    )
    from copysift.model.answers import Hit, Indexed
    from copysift.model.document import Document
    from copysift.model.folders import FolderChange, Folders
    from copysift.model.values import (
        Cluster,
        Fingerprints,
        Group,
        Ignored,
        Listing,
        Pair,
        Region,
        Result,
        Side,
        Skipped,
    )
    from copysift.workflows.api import (
        compare,
        compare_folders,
        containment,
        fingerprint,
        resemblance,
        scan,
        show,
    )
    from copysift.workflows.corpora import cluster, dedup
    from copysift.workflows.dedup_result import DedupResult
    from copysift.workflows.index import Index
    from copysift.workflows.run import Run

_MODULES = {
    "copysift.workflows.api": (
        "compare", "compare_folders", "containment", "fingerprint", "resemblance", "scan", "show",
    ),
    "copysift.workflows.run": ("Run",),
    "copysift.workflows.corpora": ("cluster", "dedup"),
    "copysift.workflows.dedup_result": ("DedupResult",),
    "copysift.workflows.index": ("Index",),
    "copysift.errors": (
        "CopysiftError", "EngineError", "InputError", "KernelError", "RunError", "StoreError", "UsageError",
    ),
    "copysift.model.document": ("Document",),
    "copysift.model.folders": ("FolderChange", "Folders"),
    "copysift.model.answers": ("Hit", "Indexed"),
    "copysift.model.values": (
        "Cluster", "Fingerprints", "Group", "Ignored", "Listing",
        "Pair", "Region", "Result", "Side", "Skipped",
    ),
}  # fmt: skip
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Cluster",
    "CopysiftError",
    "DedupResult",
    "Document",
    "EngineError",
    "Fingerprints",
    "FolderChange",
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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'copysift' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
