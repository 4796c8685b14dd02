"""Pages that explain: how copysift works, and the REST interface; they need no login."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from copysift.serve.state import ServerState
from copysift.serve.views import show

router = APIRouter()
_INLINE = re.compile(r"<(script|style)[^>]*>(.*?)</\1>", re.DOTALL)
_KINDS = ("application/json", "multipart/form-data")


@cache
def _how_it_works() -> tuple[str, str]:
    """Give the page and its policy, which allows its own scripts and styles by their digests."""
    content = (files("copysift.serve") / "static" / "how-it-works.html").read_text(encoding="utf-8")
    digests: dict[str, list[str]] = {"script": [], "style": []}
    for tag, inside in _INLINE.findall(content):
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        digests[tag].append(f"'sha256-{digest}'")
    policy = (
        f"default-src 'none'; script-src {' '.join(digests['script'])}; "
        f"style-src {' '.join(digests['style'])}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return content, policy


@router.get("/how-it-works")
def how_it_works() -> Response:
    """Show the interactive page on fingerprints and sketches."""
    content, policy = _how_it_works()
    return HTMLResponse(content, headers={"content-security-policy": policy})


@router.get("/api")
def api_page(request: Request, state: ServerState) -> Response:
    """Show the REST interface, made from its description."""
    user = state.access.user(request.headers, request.cookies)
    description = request.app.openapi()
    operations = [
        _operation(method, path, each, state.base, description["components"]["schemas"])
        for path, methods in description["paths"].items()
        for method, each in methods.items()
    ]
    groups: dict[str, list[dict[str, Any]]] = {}
    for each in operations:
        groups.setdefault(each["tag"], []).append(each)
    return show(request, "api.html.j2", {"groups": groups, "base": state.base}, user=user)


def _example(schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """Give an example of a value that is described by a model, from the examples of its fields."""
    model = schemas.get(schema.get("$ref", "").rpartition("/")[2])
    if model is None:
        return None
    fields = model.get("properties", {})
    return {
        name: field["examples"][0] if "examples" in field else _example(field, schemas)
        for name, field in fields.items()
        if name in model.get("required", ()) and ("examples" in field or "$ref" in field)
    }


def _operation(
    method: str, path: str, about: dict[str, Any], base: str, schemas: dict[str, Any]
) -> dict[str, Any]:
    """Give what the page shows of an operation: words, parameters, and a command to try it with."""
    body = about.get("requestBody", {}).get("content", {})
    kind = next((each for each in _KINDS if each in body), "")
    example = body.get(kind, {}).get("example") or _example(body.get(kind, {}).get("schema", {}), schemas)
    command = ["curl", "-H", "'Authorization: Bearer TOKEN'"] if about.get("security") else ["curl"]
    command += ["-X", method.upper()] if method != "get" else []
    if example is not None:
        command += ["--json", f"'{json.dumps(example)}'"]
    return {
        "tag": (about.get("tags") or ["server"])[0],
        "id": about["operationId"],
        "method": method.upper(),
        "path": path,
        "words": about.get("description", "").replace("`", ""),
        "parameters": [
            (each["name"], each["in"], each.get("required", False), each.get("description", ""))
            for each in about.get("parameters", ())
        ],
        "body": " or ".join(body),
        "token": bool(about.get("security")),
        "example": " ".join([*command, f"{base}{path}"]),
    }
