"""What do two documents share, and where?  `Candidate` → `Pair` (measures, regions)."""
