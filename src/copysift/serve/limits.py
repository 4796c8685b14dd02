"""What a user and a job may cost; enforced while bytes come in, never after."""

from __future__ import annotations

from dataclasses import dataclass

from copysift.errors import CopysiftError
from copysift.serve.moss_protocol import MossLimits
from copysift.settings.server import ServeOptions

READ_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Every number that keeps one client from costing the others anything."""

    job_bytes: int = ServeOptions.max_upload
    job_files: int = ServeOptions.max_files
    file_bytes: int = 20_000_000
    zip_bytes: int = 200_000_000
    field_bytes: int = 100_000
    fields: int = 100
    name_bytes: int = 4096
    json_bytes: int = 8_000_000
    text_bytes: int = 1_000_000  # that is compared, fingerprinted or looked up within a request
    user_jobs: int = ServeOptions.max_jobs  # waiting or running
    user_bytes: int = ServeOptions.max_kept  # of all jobs that are kept
    seconds: int = ServeOptions.job_seconds
    memory: int = ServeOptions.job_memory  # address space of a job
    read_seconds: float = READ_SECONDS  # that reading one file of an upload may take
    attempts: int = 5  # of a job whose worker dies
    silence: float = ServeOptions.worker_seconds  # after which a worker is taken for dead
    first: float = ServeOptions.first_seconds  # for the first line, or the headers
    idle: float = ServeOptions.idle_seconds  # without a byte
    upload: float = ServeOptions.upload_seconds  # that an upload may take in all
    peer_connections: int = ServeOptions.max_connections
    moss_connections: int = 256

    @classmethod
    def of(cls, settings: ServeOptions) -> Limits:
        """Give the limits that an operator has set."""
        return cls(
            job_bytes=settings.max_upload, job_files=settings.max_files, user_jobs=settings.max_jobs,
            user_bytes=settings.max_kept, seconds=settings.job_seconds, memory=settings.job_memory,
            first=settings.first_seconds, idle=settings.idle_seconds, upload=settings.upload_seconds,
            peer_connections=settings.max_connections, silence=settings.worker_seconds,
            read_seconds=settings.max_seconds_per_file or READ_SECONDS,
        )  # fmt: skip

    def moss(self) -> MossLimits:
        """Give the limits of a MOSS conversation."""
        return MossLimits(files=self.job_files, file_bytes=self.file_bytes, total_bytes=self.job_bytes)


class LimitError(CopysiftError):
    """Raised when an upload or a user exceeds a limit; `status` is HTTP's, `retry` seconds to wait."""

    def __init__(self, message: str, *, hint: str = "", status: int = 413, retry: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.status, self.retry = status, retry
