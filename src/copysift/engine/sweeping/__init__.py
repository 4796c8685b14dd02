"""A collection over time: sweeps, where things went, how they changed, who holds them."""
