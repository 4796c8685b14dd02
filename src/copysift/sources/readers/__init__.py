"""Readers of document formats: one file per format, chosen by `known` and opened like every other source."""
