"""Who else has this hash?  `Fingerprints` → `Candidate` (groups that share hashes)."""
