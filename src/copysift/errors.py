"""Every error that copysift raises on purpose, each with a hint on what to do.

CopysiftError
├── UsageError            settings or arguments that make no sense together
├── InputError            an input that cannot be read or understood
├── StoreError            an index that is missing, damaged, locked or made with other settings
├── RunError              a saved run that is missing, damaged or of another version
├── EngineError           a cluster that cannot be reached, or whose job failed
└── KernelError           a forced kernel edition that this machine does not have

A bad file inside a collection is not an error but a `Skipped` value: the rest goes on.
"""


class CopysiftError(Exception):
    """The root: catch this to catch all; `hint` says what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(CopysiftError):
    """Raised when settings or arguments are out of range or contradict each other."""


class InputError(CopysiftError):
    """Raised when an input that was named cannot be read or understood."""


class StoreError(CopysiftError):
    """Raised when an index is missing, damaged, locked or was made with other settings."""


class RunError(CopysiftError):
    """Raised when a saved run is missing, damaged or of another version."""


class EngineError(CopysiftError):
    """Raised when a cluster cannot be reached, or a job of it failed."""


class KernelError(CopysiftError):
    """Raised when a kernel edition was forced that is not there: never a silent fall-back."""
