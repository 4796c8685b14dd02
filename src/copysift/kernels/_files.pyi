from collections.abc import Sequence

def read_files(
    paths: Sequence[bytes], follow: Sequence[bool], most: int
) -> list[tuple[bytes, int] | None]: ...
def look_at(
    paths: Sequence[bytes], follow: Sequence[bool], most: int
) -> list[tuple[int, int, int, int, bytes] | None]: ...
