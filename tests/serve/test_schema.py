"""Random requests made from the OpenAPI description: none breaks the server, all answers fit it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.serve.running import Server

schemathesis = pytest.importorskip("schemathesis")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def schema(server: Server) -> object:
    return schemathesis.openapi.from_url(f"{server.url}/api/v1/openapi.json")


lazy = schemathesis.pytest.from_fixture("schema")


@lazy.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_fit_the_description(case: object) -> None:
    checks = schemathesis.checks
    excluded = [check for name in ("unsupported_method",) for check in checks.CHECKS.get_by_names([name])]
    case.call_and_validate(excluded_checks=excluded)  # type: ignore[attr-defined]
