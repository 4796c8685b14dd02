"""Every error that copysift raises on purpose, each with a hint on what to do.

CopysiftError
├── UsageError            settings or arguments that make no sense together
├── InputError            an input that cannot be read or understood
├── StoreError            an index that is missing, damaged, locked or made with other settings
├── RunError              a saved run that is missing, damaged or of another version
├── EngineError           a cluster that cannot be reached, or whose job failed
└── KernelError           a forced kernel edition that this machine does not have

A bad file inside a collection is not an error but a `Skipped` value: the rest continues.

Messages name options as the command line does, `--min-shared`; `message` and `hint` keep that. The text that
Python shows has the name of the keyword, `min_shared`.
"""

import re

_OPTION = re.compile(r"(?<![^\s(])--([a-z][a-z-]*[a-z])\b")
_KEYWORDS = {"from": "from_run"}  # where Python has another name


class CopysiftError(Exception):
    """The root: catch this to catch all; `hint` says what to do about it.

    >>> try:
    ...     copysift.scan("nowhere")
    ... except copysift.CopysiftError as error:
    ...     print(error.message)
    nowhere: no such file or folder
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return "\n".join(_in_python(each) for each in (self.message, self.hint) if each)


def _in_python(text: str) -> str:
    """Name keywords instead of options; what is to be typed into a shell stays as it is."""
    if "copysift " in text:
        return text
    return _OPTION.sub(lambda found: _KEYWORDS.get(found[1]) or found[1].replace("-", "_"), text)


class UsageError(CopysiftError):
    """Raised when settings or arguments are out of range or contradict each other.

    >>> copysift.scan("essays", threshold="150%")
    Traceback (most recent call last):
    copysift.errors.UsageError: threshold is 1.5, but must be between 0 and 1...
    """


class InputError(CopysiftError):
    """Raised when an input that was named cannot be read or understood.

    >>> copysift.compare("essays/bees.txt", "essays/wasps.txt")
    Traceback (most recent call last):
    copysift.errors.InputError: essays/wasps.txt: ...
    """


class StoreError(CopysiftError):
    """Raised when an index is missing, damaged, locked or was made with other settings.

    >>> copysift.Index("essays").info()
    Traceback (most recent call last):
    copysift.errors.StoreError: essays is not an index...
    """


class RunError(CopysiftError):
    """Raised when a saved run is missing, damaged or of another version.

    >>> copysift.Run("essays")
    Traceback (most recent call last):
    copysift.errors.RunError: essays is not a run: it has no run.json...
    """


class EngineError(CopysiftError):
    """Raised when a cluster cannot be reached, or a job of it failed.

    >>> issubclass(copysift.EngineError, copysift.CopysiftError)
    True
    """


class KernelError(CopysiftError):
    """Raised when a kernel edition was forced that is not there: never a silent fall-back.

    >>> issubclass(copysift.KernelError, copysift.CopysiftError)
    True
    """
