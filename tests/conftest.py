"""Shared by all tests: the folder of real data beside the checkout, where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("copysift", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("copysift")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of real data, ../shared/data, is not beside this checkout")
    return folder


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name a parameter of bytes by its argument: packed bytes hold the time, names must not change."""
    return argname if isinstance(val, bytes) else None
