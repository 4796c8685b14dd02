"""What is fuzzed: functions that take any bytes. An exception or a report of a sanitizer is a finding.

Kernels are compared with their readable twins where the input is small. Everything else may answer as it
likes, but only in the ways that are promised: a document or a named skip, an error of copysift, a status
below 500.
"""

from __future__ import annotations

from kernel_targets import KERNELS
from program_targets import PROGRAM

TARGETS = KERNELS | PROGRAM
