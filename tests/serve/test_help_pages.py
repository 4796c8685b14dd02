"""Pages that explain: how copysift works, in the wheel too, and the REST interface."""

from __future__ import annotations

import base64
import hashlib
import re
import urllib.request

from tests.serve.running import Server


def test_the_page_on_how_it_works_is_served_with_a_policy_for_its_own_scripts(
    server: Server, guarded: Server
) -> None:
    for each in (server, guarded):  # no login needed
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
            f"{each.url}/how-it-works"
        ) as answer:
            policy, page = answer.headers["content-security-policy"], answer.read().decode()
        scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
        assert len(scripts) == 2
        for script in scripts:
            assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy
        assert "unsafe" not in policy
        assert " style=" not in page
    assert 'href="/how-it-works"' in server.ask("GET", "/")[1]


def test_the_page_on_rest_has_every_operation_with_an_example(server: Server) -> None:
    _, page = server.ask("GET", "/api")
    _, schema = server.ask("GET", "/api/v1/openapi.json")
    for path, methods in schema["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in page
            assert f"{server.url}{path}" in page
    assert "Authorization: Bearer TOKEN" in page
    assert "Homework 3" in page
    assert "offset" in page
    assert "wound the clock at dusk" in page  # the example of a query
