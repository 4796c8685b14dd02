from collections.abc import Sequence

def read_files(
    paths: Sequence[bytes], follow: Sequence[bool], most: int
) -> list[tuple[bytes, int] | None]: ...
