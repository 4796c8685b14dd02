"""Keeps pyarrow from loading pandas into commands, which never need it.

`pyarrow.array` imports pandas, wherever it is installed, to see whether a list is a series: half a second of
processor time for each command. A plug-in or a feature function of the user may import pandas as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class PandasGuard:
    """A finder of modules that does not find pandas for our own code or for pyarrow."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Refuse pandas to copysift; leave all else to the finders of Python."""
        importer = _importer() if name == "pandas" else ""
        spark = importer.startswith("copysift.engines.spark")  # PySpark needs pandas
        if importer.partition(".")[0] in ("copysift", "pyarrow") and not spark:
            raise ModuleNotFoundError("pandas is not used in commands", name=name)
        return None


def _importer() -> str:
    """Name the module whose Python code runs; pyarrow's own is compiled and has no frame."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(
        ("importlib", "_frozen_importlib")
    ):
        frame = frame.f_back  # type: ignore[assignment]  # None at the end
    return str(frame.f_globals.get("__name__", "")) if frame else ""


def keep_pandas_out() -> None:
    """Keep pandas out of this process, unless it is loaded already or other code imports it."""
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, PandasGuard())
