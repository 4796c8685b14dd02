"""A small job that a worker does for itself before the first one comes.

Much is loaded and compiled only when it is used: lexers, templates, charts. In the process of a job, which
is a fork of the worker, all of that would be done again for every job.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from copysift.serve import work
from copysift.serve.incoming import IncomingFolder
from copysift.serve.limits import Limits

PROGRAM = """def area_{0}(width, height):
    total = 0
    for row in range(height):
        total += width * {0}
"""
MOSS = {"options": "", "comment": "", "date": ""}


def rehearse(job: Callable[..., object] = work.scan) -> None:
    """Compare four programs and throw the result away."""
    with TemporaryDirectory(prefix="copysift-") as place:
        folder = Path(place)
        files = IncomingFolder(folder / "in", Limits())
        for number in range(4):
            shared = "".join(PROGRAM.format(at) for at in range(9))
            files.add(f"{number}.py", f"{shared}value_{number} = area_{number}(3, 4)\n".encode())
        files.seal()
        out = folder / "out-0"
        out.mkdir()
        job(folder, out, {"settings": {}, "moss": MOSS, "title": ""}, work.Told(folder / "progress", 0), 1)
