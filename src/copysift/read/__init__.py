"""Where do documents come from?  paths → `Document` or `Skipped(reason)`."""
