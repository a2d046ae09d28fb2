"""The web application: static files, the state of the session, and requests that change it."""

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

from lwcal.page.answer_buttons import SKIPPED, answers_of
from lwcal.page.estimate_worker import EstimateWorker
from lwcal.page.session import AuditSession, NotSavedError
from lwcal.page.views import Shown, state

LONGEST = 10_000
"""Longest accepted request in bytes. An answer needs about a hundred."""
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def make_app(
    session: AuditSession, worker: EstimateWorker, texts: dict[str, Any], shown: Shown
) -> Starlette:
    """Build the application.

    Parameters
    ----------
    session : AuditSession
        Stores the answers.
    worker : EstimateWorker
        Computes the estimates.
    texts : dict
        What does not change during the session.
    shown : Shown
        What the auditor sees of a row.
    """
    answers = answers_of(session.source.class_names)

    def now() -> dict[str, Any]:
        with session.locked():
            if session.upcoming is None:  # the estimates must not influence the answers
                worker.request(session.rows, session.answers_revision)
            return state(session, worker.latest, shown)

    def get_state(request: Request) -> Response:
        return JSONResponse(now())

    def get_texts(request: Request) -> Response:
        return JSONResponse(texts)

    def change(action: Callable[[dict[str, Any]], None]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            document = await _document(request)
            if document is None or not is_answer(document.get("answer", SKIPPED)):
                text = "Refused: this request does not come from the page."
                return PlainTextResponse(text, status_code=400)
            return JSONResponse(await run_in_threadpool(perform, document))

        def perform(document: dict[str, Any]) -> dict[str, Any]:
            # a refused change is a normal outcome: the page shows the reason and the current state
            refused = ""
            try:
                action(document)
            except NotSavedError as reason:
                refused = str(reason)
            return {**now(), "refused": refused}

        return endpoint

    def is_answer(word: object) -> bool:
        return isinstance(word, str) and word in answers

    def answer(document: dict[str, Any]) -> None:
        label = answers[document.get("answer", SKIPPED)]
        session.answer(session.find(document.get("row")), label, str(document.get("seen")))

    def undo(document: dict[str, Any]) -> None:
        session.undo(session.find(document.get("row")), str(document.get("seen")))

    def reopen(document: dict[str, Any]) -> None:
        session.reopen()

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
    """Return the JSON document of a request; None if it is not a request of the page."""
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
    return document if isinstance(document, dict) else None


def _file(name: str) -> Callable[[Request], Response]:
    content = _asset("lwcal.page", "static", name)

    def endpoint(request: Request) -> Response:
        return Response(content, media_type=KINDS[name.rpartition(".")[2]])

    return endpoint


def _style(request: Request) -> Response:
    """Return the style of the report, followed by that of the page."""
    report = _asset("lwcal.report", "templates", "style.css")
    own = _asset("lwcal.page", "static", "style.css")
    return Response(report + own, media_type=KINDS["css"])


def _asset(package: str, *place: str) -> str:
    return files(package).joinpath(*place).read_text(encoding="utf-8")
