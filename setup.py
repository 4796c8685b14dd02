"""Compile the kernels: one extension a subject, each a thin Cython shell around a C header."""

import os
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

KERNELS = Path("src/copysift/kernels")
WINDOWS = sys.platform == "win32"
# -g1 keeps the line numbers for profilers; all that -g writes takes a fifth of the compile time.
FLAGS = [] if WINDOWS else ["-O3", "-g1", "-fno-math-errno", "-Wno-unused-function"]
# Cython's memoryview code is compiled once for all kernels: a copy in each takes half of the compile time.
# It runs once per kernel call, so -O1 is enough.
MEMORYVIEWS = Extension(
    "copysift.kernels._memoryviews",
    [str(KERNELS / "_memoryviews.c")],
    depends=["setup.py"],
    extra_compile_args=[] if WINDOWS else ["-O1", "-g1"],
)


class BuildKernels(build_ext):
    """Compile one kernel per CPU at a time, and in an editable install only those that changed."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        if self.editable_mode:  # setuptools takes a temporary folder, in which every kernel is missing
            self.build_lib = self.build_temp = str(Path("build/editable"))


def headers(source: Path) -> set[str]:
    """Give the headers of the kernels that a source includes, and those that they include."""
    named = (KERNELS / name for name in re.findall(r'"(\w+\.h)"', source.read_text()))
    return {path for header in named for path in (str(header), *headers(header))}


def kernel(source: Path) -> Extension:
    """Describe the extension that a source makes."""
    return Extension(
        f"copysift.kernels.{source.stem}",
        [str(source)],
        depends=["setup.py", *sorted(headers(source))],
        include_dirs=[str(KERNELS)],
        extra_compile_args=FLAGS,
    )


if __name__ == "__main__":  # the processes of cythonize may import this file
    setup(
        cmdclass={"build_ext": BuildKernels},
        ext_modules=cythonize(
            [MEMORYVIEWS, *map(kernel, sorted(KERNELS.glob("_*.pyx")))],
            nthreads=os.cpu_count(),
            shared_utility_qualified_name=MEMORYVIEWS.name,
            compiler_directives={
                "language_level": "3",
                "boundscheck": False,
                "wraparound": False,
                "embedsignature": True,
            },
        ),
    )
