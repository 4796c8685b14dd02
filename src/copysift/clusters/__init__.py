"""Which documents belong together?  `Pair` → `Cluster`."""
