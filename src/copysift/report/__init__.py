"""How is it shown?  `Result` → terminal, JSON, CSV, sif's listing."""
