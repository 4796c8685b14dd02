"""Pages: runs, their clusters and who is in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response

from copysift.runs.run_browser import RunBrowser
from copysift.serve.state import PageUser, ServerState, State
from copysift.serve.views import show

router = APIRouter()
CLUSTERS = 50  # a page
MEMBERS = 200
Page = Annotated[int, Query(ge=1, le=10**6)]


def _run(state: State, name: str) -> RunBrowser:
    try:
        return state.runs.get(name)
    except KeyError:
        raise HTTPException(404, "run not found") from None


@router.get("/runs")
def runs_page(request: Request, state: ServerState, user: PageUser) -> Response:
    """Show the runs."""
    found = [(name, state.runs.get(name)) for name in state.runs.names()]
    return show(request, "runs.html.j2", {"runs": found}, user=user)


@router.get("/runs/{name}")
def run_page(
    name: str, request: Request, state: ServerState, user: PageUser, page: Page = 1,
    find: Annotated[str, Query(max_length=1000)] = "",
) -> Response:  # fmt: skip
    """Show the clusters of a run, the largest first."""
    run = _run(state, name)
    words = find.encode("utf-8", "replace").decode()
    clusters, count = run.listed(words, (page - 1) * CLUSTERS, CLUSTERS)
    values = {
        "name": name, "run": run, "clusters": clusters, "count": count, "find": words, "page": page,
        "pages": max(1, -(-count // CLUSTERS)), "first": (page - 1) * CLUSTERS,
    }  # fmt: skip
    return show(request, "run.html.j2", values, user=user)


@router.get("/runs/{name}/cluster")
def cluster_page(
    name: str, request: Request, state: ServerState, user: PageUser, page: Page = 1,
    of: Annotated[str, Query(max_length=5000)] = "",
) -> Response:  # fmt: skip
    """Show the documents of a cluster."""
    first = of.encode("utf-8", "replace").decode()
    members, count = _run(state, name).members(first, (page - 1) * MEMBERS, MEMBERS)
    if not count:
        raise HTTPException(404, "cluster not found")
    values = {"name": name, "first": first, "members": members, "count": count, "page": page,
              "pages": -(-count // MEMBERS)}  # fmt: skip
    return show(request, "cluster.html.j2", values, user=user)
