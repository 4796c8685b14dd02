"""Random requests made from the OpenAPI description: none breaks the server, all answers fit it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serve.running import Server

pytest.importorskip("schemathesis")
EXAMPLES = 12  # of every operation
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_the_description_has_every_operation_and_one_shape_of_errors(server: Server) -> None:
    _, schema = server.ask("GET", "/api/v1/openapi.json")
    operations = {
        f"{method.upper()} {path.removeprefix('/api/v1')}": each
        for path, methods in schema["paths"].items()
        for method, each in methods.items()
    }
    assert sorted(operations) == sorted(
        [
            "GET /jobs", "POST /jobs", "GET /jobs/{id}", "DELETE /jobs/{id}", "GET /jobs/{id}/result",
            "GET /jobs/{id}/pseudonyms", "GET /jobs/{id}/marks.csv", "GET /courses", "POST /courses",
            "GET /courses/{name}", "GET /courses/{name}/jobs", "GET /courses/{name}/pairs",
            "PUT /courses/{name}/team/{member}", "DELETE /courses/{name}/team/{member}",
            "POST /jobs/{id}/cancel", "GET /jobs/{id}/marks", "PUT /jobs/{id}/marks", "POST /compare",
            "POST /fingerprints", "GET /health", "GET /metrics", "GET /indexes", "GET /indexes/{name}",
            "DELETE /indexes/{name}", "GET /indexes/{name}/documents", "POST /indexes/{name}/documents",
            "DELETE /indexes/{name}/documents", "POST /erasures", "POST /indexes/{name}/query",
        ]
    )  # fmt: skip
    shape = {"$ref": "#/components/schemas/ErrorOut"}
    for name, each in operations.items():
        assert each["description"], name
        for status, answer in each["responses"].items():
            if status >= "400":
                assert answer["content"]["application/json"]["schema"] == shape, (name, status)


@pytest.mark.slow
def test_random_requests_break_nothing_and_every_answer_fits(server: Server, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/api/v1/openapi.json",
        "--checks", CHECKS,
        "--max-examples", str(EXAMPLES), "--phases", "examples,fuzzing", "--suppress-health-check", "all",
        "--generation-database", "none", "--seed", "1", "--no-color",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "generated" in done.stdout
    assert "something went wrong" not in server.log()
    assert " failed\n" not in server.log()
