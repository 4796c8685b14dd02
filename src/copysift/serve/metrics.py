"""Counters of the server, in the text form that Prometheus reads."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")  # others count as one
ORIGINS = ("web", "api", "moss")
HELP = {
    "moss_conversations": "MOSS connections.",
    "moss_errors": "MOSS conversations that ended with an error.",
    "upload_bytes": "Bytes of accepted uploads.",
    "logins_failed": "Logins with an unknown token.",
}


class Metrics:
    """Counts what happens; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, float] = dict.fromkeys(HELP, 0)
        self._jobs = dict.fromkeys(ORIGINS, 0)
        self._requests: dict[tuple[str, int], int] = {}
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def count(self, name: str, by: float = 1) -> None:
        """Count something that has a line in HELP."""
        with self._lock:
            self._counts[name] += by

    def accepted(self, origin: str, bytes_: int) -> None:
        """Count a job by where it came from, and the bytes of its upload."""
        with self._lock:
            self._jobs[origin] += 1
            self._counts["upload_bytes"] += bytes_

    def request(self, method: str, status: int, seconds: float) -> None:
        """Count a request and the time that it took."""
        with self._lock:
            key = (method if method in METHODS else "other", status)
            self._requests[key] = self._requests.get(key, 0) + 1
            self._buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds += seconds

    def text(self, jobs: Mapping[str, int]) -> str:
        """Give everything in Prometheus' text form; `jobs` counts jobs by state."""
        lines = []
        with self._lock:
            for name, words in HELP.items():
                full = f"copysift_{name}_total"
                lines += [
                    f"# HELP {full} {words}",
                    f"# TYPE {full} counter",
                    f"{full} {self._counts[name]:g}",
                ]
            lines += [
                "# HELP copysift_jobs_accepted_total Accepted jobs by origin.",
                "# TYPE copysift_jobs_accepted_total counter",
            ]
            for origin, number in self._jobs.items():
                lines.append(f'copysift_jobs_accepted_total{{origin="{origin}"}} {number}')
            lines += [
                "# HELP copysift_requests_total HTTP requests.",
                "# TYPE copysift_requests_total counter",
            ]
            for (method, status), number in sorted(self._requests.items()):
                lines.append(f'copysift_requests_total{{method="{method}",status="{status}"}} {number}')
            lines += [
                "# HELP copysift_request_seconds Time that requests took.",
                "# TYPE copysift_request_seconds histogram",
            ]
            total = 0
            for bound, number in zip((*BOUNDS, "+Inf"), self._buckets, strict=True):
                total += number
                lines.append(f'copysift_request_seconds_bucket{{le="{bound}"}} {total}')
            lines += [
                f"copysift_request_seconds_sum {self._seconds:.6f}",
                f"copysift_request_seconds_count {total}",
            ]
        lines += ["# HELP copysift_jobs Jobs by state.", "# TYPE copysift_jobs gauge"]
        lines += [f'copysift_jobs{{state="{state}"}} {number}' for state, number in jobs.items()]
        return "\n".join(lines) + "\n"
