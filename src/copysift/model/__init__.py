"""The values that pass between folders: frozen, and they know no stage."""
