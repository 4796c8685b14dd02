"""Which hashes stand for a document?  `Canonical` → `Fingerprints`."""

from copysift.fingerprints.anchor import learn_anchors
from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.spread import spread
from copysift.fingerprints.stream import Fingerprinter, fingerprinter

__all__ = ["FingerprintSettings", "Fingerprinter", "fingerprinter", "learn_anchors", "spread"]
