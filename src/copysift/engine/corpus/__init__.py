"""Clustering a corpus in Broder's four phases, each divided into parts that fit the memory."""
