"""The verbs: scan, compare, query, cluster, dedup, sweep; wiring of the other folders."""
