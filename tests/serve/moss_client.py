"""A MOSS client as the classic Perl script is one: lines, raw bytes, one line back."""

from __future__ import annotations

import socket


def submit(
    port: int, files: list[tuple[str, bytes]], *, user: str = "123", language: str = "python",
    directory: int = 0,
    base: list[tuple[str, bytes]] | None = None, comment: str = "", timeout: float = 120,
    show: int = 250, maxmatches: int = 10,
) -> tuple[str, str]:  # fmt: skip
    """Send files; give what the server said to the language, and to the query."""
    with socket.create_connection(("127.0.0.1", port), timeout) as link, link.makefile("rb") as answers:
        head = f"moss {user}\ndirectory {directory}\nX 0\nmaxmatches {maxmatches}\nshow {show}\n"
        link.sendall(f"{head}language {language}\n".encode())
        accepted = answers.readline().decode().strip()
        for name, data in base or []:
            link.sendall(f"file 0 {language} {len(data)} {name}\n".encode() + data)
        for number, (name, data) in enumerate(files, 1):
            link.sendall(f"file {number} {language} {len(data)} {name}\n".encode() + data)
        link.sendall(f"query 0 {comment}\n".encode())
        answer = answers.readline().decode().strip()
        link.sendall(b"end\n")
    return accepted, answer


def raw(port: int, data: bytes, *, timeout: float = 60, close: bool = False) -> bytes:
    """Send bytes and give everything that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", port), timeout) as link:
        try:
            link.sendall(data)
            if close:
                link.shutdown(socket.SHUT_WR)
            parts = []
            while part := link.recv(65536):
                parts.append(part)
        except ConnectionError:
            pass
        return b"".join(parts)
