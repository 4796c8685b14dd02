"""What every folder shares: threads, progress, encodings, durable files, the registry."""
