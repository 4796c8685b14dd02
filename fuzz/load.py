"""The target that COPYSIFT_FUZZ names, for the harness."""

import os

from targets import TARGETS

one = TARGETS[os.environ["COPYSIFT_FUZZ"]]
