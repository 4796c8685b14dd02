"""Headers of C and C++: files of declarations, whose tokens are those of C.

Two unrelated headers have many tokens in common, for every one is a list of declarations. So in a tree of any
files they count as programs of their own kind, which are compared with each other alone, and a pair needs more
evidence (`workflows/channels.py`). Where programs are compared, they are C like any other.
"""

from __future__ import annotations

NAME = "header"
KIND = f"code:{NAME}"
LANGUAGE = "c"
SUFFIXES = (".h", ".H")
