"""What a user and a job may cost; enforced while bytes come in, never after."""

from __future__ import annotations

from dataclasses import dataclass

from copysift.errors import CopysiftError
from copysift.serve.moss_protocol import MossLimits


@dataclass(frozen=True, slots=True)
class Limits:
    """Every number that keeps one client from costing the others anything."""

    job_bytes: int = 200_000_000
    job_files: int = 20_000
    file_bytes: int = 20_000_000
    zip_bytes: int = 200_000_000
    field_bytes: int = 100_000
    fields: int = 100
    name_bytes: int = 4096
    json_bytes: int = 8_000_000
    text_bytes: int = 1_000_000  # that is compared, fingerprinted or asked for within a request
    user_jobs: int = 200  # waiting or running
    user_bytes: int = 5_000_000_000  # of all jobs that are kept
    seconds: int = 900  # that a job may run
    memory: int = 4_000_000_000  # address space of a job
    attempts: int = 5  # of a job whose worker dies
    idle: float = 30.0  # seconds without a byte
    upload: float = 1800.0  # seconds that an upload may take in all
    moss_connections: int = 256

    def moss(self) -> MossLimits:
        """Give the limits of a MOSS conversation."""
        return MossLimits(files=self.job_files, file_bytes=self.file_bytes, total_bytes=self.job_bytes)


class LimitError(CopysiftError):
    """Raised when an upload or a user goes past a limit; `status` is HTTP's."""

    def __init__(self, message: str, *, hint: str = "", status: int = 413) -> None:
        super().__init__(message, hint=hint)
        self.status = status
