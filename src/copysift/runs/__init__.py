"""Finished jobs kept on disk."""
