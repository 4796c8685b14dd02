"""Compile the kernels: one extension a subject, each a thin Cython shell around a C header."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = Path("src/copysift/kernels")
FLAGS = [] if sys.platform == "win32" else ["-O3", "-fno-math-errno", "-Wno-unused-function"]

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"copysift.kernels.{source.stem}",
                [str(source)],
                depends=[str(header) for header in sorted(KERNELS.glob("*.h"))],
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
