"""The phases of clustering on Spark: the same stage functions inside tasks, shuffles between them."""
