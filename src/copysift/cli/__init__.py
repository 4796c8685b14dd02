"""The terminal door: parses, calls the engine, prints."""
