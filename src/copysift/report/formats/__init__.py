"""The output formats, one file each: `NAME_format.py` defines the format NAME as FORMAT.

`copysift.report.conformance` checks any format.
"""
