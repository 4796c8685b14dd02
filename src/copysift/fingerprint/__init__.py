"""Which hashes stand for a document?  `Canonical` → `Fingerprints`."""

from copysift.fingerprint.anchor import learn_anchors
from copysift.fingerprint.settings import FingerprintSettings
from copysift.fingerprint.spread import spread
from copysift.fingerprint.stream import Fingerprinter, fingerprinter

__all__ = ["FingerprintSettings", "Fingerprinter", "fingerprinter", "learn_anchors", "spread"]
