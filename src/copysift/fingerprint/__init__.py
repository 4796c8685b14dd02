"""Which hashes stand for a document?  `Canonical` → `Fingerprints`."""
