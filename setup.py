"""Compile the kernels: one extension a subject, each a thin Cython shell around a C header."""

import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = Path("src/copysift/kernels")
FLAGS = [] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-Wno-unused-function"]


def headers(source: Path) -> set[str]:
    """Give the headers of the kernels that a source includes, and those that they include."""
    named = (KERNELS / name for name in re.findall(r'"(\w+\.h)"', source.read_text()))
    return {path for header in named for path in (str(header), *headers(header))}


setup(
    ext_modules=cythonize(
        [
            Extension(
                f"copysift.kernels.{source.stem}",
                [str(source)],
                depends=sorted(headers(source)),
                include_dirs=[str(KERNELS)],
                extra_compile_args=FLAGS,
            )
            for source in sorted(KERNELS.glob("_*.pyx"))
        ],
        compiler_directives={
            "language_level": "3",
            "boundscheck": False,
            "wraparound": False,
            "embedsignature": True,
        },
    )
)
