"""The readable twins of the compiled kernels: each is its kernel's definition."""
