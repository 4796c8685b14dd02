"""Open a file without being caught by what is there: pipes never block, devices are refused.

A tree is read while others write to it, so what was a file when the folder was listed may be
something else when it is opened; only the open descriptor shows it.
"""

from __future__ import annotations

import errno
import os
import stat

# O_NONBLOCK: opening a FIFO without a writer returns at once; it means nothing for regular files.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)

_WORDS = {
    errno.ENOENT: "no such file or folder",
    errno.ENOTDIR: "no such file or folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "too many symbolic links, or a loop of them",
    errno.ENAMETOOLONG: "the path is too long for this system",
    errno.EMFILE: "too many open files",
    errno.ENFILE: "too many open files",
    errno.EIO: "the disk reports an input/output error",
}


class SpecialFileError(OSError):
    """What was opened is not a regular file; its text says what it is."""


def why(error: OSError | ValueError) -> str:
    """Say in words for the user why a path could not be used."""
    if isinstance(error, SpecialFileError):
        return str(error)
    if isinstance(error, ValueError):  # a NUL inside a path
        return "the path holds a NUL character"
    return _WORDS.get(error.errno or 0, (error.strerror or type(error).__name__).lower())


def describe(mode: int) -> str:
    """Name the kind of thing that a mode represents, as a reason to leave it out."""
    for test, words in (
        (stat.S_ISDIR, "is a folder, not a file"),
        (stat.S_ISFIFO, "is a named pipe (FIFO), not a file"),
        (stat.S_ISSOCK, "is a socket, not a file"),
        (stat.S_ISCHR, "is a character device, not a file"),
        (stat.S_ISBLK, "is a block device, not a file"),
        (stat.S_ISLNK, "is a symbolic link that leads nowhere"),
    ):
        if test(mode):
            return words
    return "is not a regular file"


def open_regular(path: str, *, follow: bool) -> tuple[int, os.stat_result]:
    """Open a regular file for reading and give its descriptor and status; the caller closes it.

    Raises OSError, or SpecialFileError when something else is there. Without `follow` a
    symbolic link is not opened.
    """
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | _NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise SpecialFileError("has become a symbolic link since the folder was listed") from error
        if error.errno == errno.ENXIO:  # a socket, or a device without a driver
            raise SpecialFileError("is a socket or a device, not a file") from error
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SpecialFileError(describe(status.st_mode))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status
