"""How is it shown? `Result` → text, JSON, CSV: strings, which only the doors print.

A report is a function `report(result, view) -> str`; plug-ins add theirs to `copysift.reports`.
"""
