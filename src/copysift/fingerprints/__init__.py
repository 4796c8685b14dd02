"""Which hashes represent a document?  `Canonical` → `Fingerprints`."""

from copysift.fingerprints.anchors import learn_anchors
from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.stream import Fingerprinter, fingerprinter

__all__ = ["FingerprintSettings", "Fingerprinter", "fingerprinter", "learn_anchors"]
