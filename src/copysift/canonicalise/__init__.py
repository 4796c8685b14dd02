"""What in a document counts?  `Document` → `Canonical` (symbols and their positions)."""
