"""The page's addresses: three files, one state, and what changes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from lwcal.page.desk import Desk, Refused
from lwcal.page.estimator import Estimator
from lwcal.page.views import state, texts

LONGEST = 10_000
"""Bytes of a request; an answer has a hundred."""
ANSWERS = {"yes": 1, "no": 0, "skip": None}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def make_app(desk: Desk, estimator: Estimator, command: str, question: str) -> Starlette:
    """Build the application.

    Parameters
    ----------
    desk : Desk
        Where answers are written.
    estimator : Estimator
        Who computes what they say.
    command : str
        What to run when all is answered.
    question : str
        What is asked about every row.
    """
    fixed = texts(desk, command, question)

    def now() -> dict[str, Any]:
        with desk.looking():
            estimator.want(desk.entries, desk.revision)
            return state(desk, estimator.latest)

    def get_state(request: Request) -> Response:
        return JSONResponse(now())

    def get_texts(request: Request) -> Response:
        return JSONResponse(fixed)

    def change(action: Callable[[dict[str, Any]], None]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            asked = await _document(request)
            if asked is None:
                return PlainTextResponse("Refused: not a request of this page.", status_code=400)
            return JSONResponse(await run_in_threadpool(act, asked))

        def act(asked: dict[str, Any]) -> dict[str, Any]:
            # a refusal is an outcome like others: the page says it and shows what is there now
            refused = ""
            try:
                action(asked)
            except Refused as reason:
                refused = str(reason)
            return {**now(), "refused": refused}

        return endpoint

    def answer(asked: dict[str, Any]) -> None:
        desk.answer(_position(asked), ANSWERS[asked.get("answer", "skip")], str(asked.get("seen")))

    def undo(asked: dict[str, Any]) -> None:
        desk.undo(_position(asked), str(asked.get("seen")))

    def reopen(asked: dict[str, Any]) -> None:
        desk.reopen()

    return Starlette(
        routes=[
            Route("/", _file("index.html")),
            Route("/style.css", _style),
            Route("/script.js", _file("script.js")),
            Route("/icon.svg", _file("icon.svg")),
            Route("/api/texts", get_texts),
            Route("/api/state", get_state),
            Route("/api/answer", change(answer), methods=["POST"]),
            Route("/api/undo", change(undo), methods=["POST"]),
            Route("/api/reopen", change(reopen), methods=["POST"]),
        ]
    )


async def _document(request: Request) -> dict[str, Any] | None:
    """What the page's script sent; None for anything else."""
    if request.headers.get("content-type") != "application/json":
        return None
    size = 0
    parts = []
    async for part in request.stream():
        size += len(part)
        if size > LONGEST:
            return None
        parts.append(part)
    return _parse(b"".join(parts))


def _parse(body: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(body)
    except ValueError:
        return None
    if not isinstance(document, dict) or document.get("answer", "skip") not in ANSWERS:
        return None
    return document


def _position(asked: dict[str, Any]) -> int:
    position = asked.get("position")
    return position if isinstance(position, int) else -1  # which no row has


def _file(name: str) -> Callable[[Request], Response]:
    content = _asset("lwcal.page", "static", name)

    def endpoint(request: Request) -> Response:
        return Response(content, media_type=KINDS[name.rpartition(".")[2]])

    return endpoint


def _style(request: Request) -> Response:
    """Look like the report, whose style comes first."""
    report = _asset("lwcal.report", "templates", "style.css")
    own = _asset("lwcal.page", "static", "style.css")
    return Response(report + own, media_type=KINDS["css"])


def _asset(package: str, *place: str) -> str:
    return files(package).joinpath(*place).read_text(encoding="utf-8")
