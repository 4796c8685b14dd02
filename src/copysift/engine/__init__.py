"""The stages put together: the only place that knows them all."""
