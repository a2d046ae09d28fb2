"""Requests without the token, from another site or with another host name are refused."""

import http.client
import json
import socket
import threading

import pytest

from lwcal.cli.app import run
from lwcal.page.access import AccessControl
from tests.page.running import serving


def request(server, method="GET", path="/api/state", headers=None, body=b""):
    """Send a request with the given headers; return status, headers and text."""
    host = server.origin.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=30)
    sent = {"Host": host, "Cookie": f"lwcal_audit_{host.split(':')[1]}={server.token}"}
    sent |= headers or {}
    connection.putrequest(method, path, skip_host=True)
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    for name, value in {**sent, "Content-Length": str(len(content))}.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, dict(answer.getheaders()), text


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Share one server, because no test here changes the sheet."""
    folder = tmp_path_factory.mktemp("access")
    rows = "".join(f"{k / 40},{int(k % 3 == 0)}\n" for k in range(40))
    (folder / "scores.csv").write_text(f"score,label\n{rows}")
    with serving(folder, "scores.csv", "--budget", "8") as running:
        running.sheet = folder / "scores.audit.csv"
        yield running


REFUSED = {
    "no token": {"Cookie": None},
    "wrong token": {"Cookie": "lwcal_audit_{port}=guess"},
    "another port's cookie": {"Cookie": "lwcal_audit_1={token}"},
    "broken cookie": {"Cookie": "\x01;=;;"},
    "another name for this machine": {"Host": "evil.example:{port}"},
    "another port": {"Host": "127.0.0.1:1"},
    "no host": {"Host": None},
    "another site's script": {"Sec-Fetch-Site": "cross-site"},
    "another port's script": {"Sec-Fetch-Site": "same-site"},
    "another origin": {"Origin": "http://evil.example"},
    "a file": {"Origin": "null"},
    "another port as origin": {"Origin": "http://127.0.0.1:1"},
}


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("path", ["/", "/api/state", "/script.js"])
def test_requests_from_elsewhere_are_refused(server, headers, path):
    """The refusal is one line that says what to do, and sets no cookie."""
    port = server.origin.rpartition(":")[2]
    filled = {
        name: value and value.format(port=port, token=server.token)
        for name, value in headers.items()
    }
    status, sent, text = request(server, path=path, headers=filled)
    assert status in (400, 403)
    assert server.token not in text
    assert "set-cookie" not in {name.lower() for name in sent}
    if status == 403:
        assert text.startswith("Refused: ")
        assert text.count("\n") == 1


def own(server):
    """Return the headers that a browser adds to requests of the page."""
    return {
        "Origin": server.origin,
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/json",
    }


BAD_CHANGES = {
    "no origin": ({"Origin": None}, {"row": "x", "answer": "yes", "seen": ""}, 403),
    "from elsewhere": (
        {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"},
        {"row": "x", "answer": "yes", "seen": ""},
        403,
    ),
    "a form": ({"Content-Type": "text/plain"}, {"row": "x", "answer": "yes", "seen": ""}, 400),
    "no answer": ({}, {"row": "x", "answer": "=1+1", "seen": ""}, 400),
    "no document": ({}, [1], 400),
    "no JSON": ({}, b"position=1&answer=yes", 400),
    "too long": ({}, {"row": "x", "answer": "yes", "seen": "x" * 20_000}, 400),
    "no such row": ({}, {"row": 1, "answer": "yes", "seen": ""}, 200),
    "no row": ({}, {"answer": "yes", "seen": ""}, 200),
    "has not looked": ({}, {"row": None, "answer": "yes"}, 200),
}


@pytest.mark.parametrize(("headers", "body", "expected"), BAD_CHANGES.values(), ids=BAD_CHANGES)
def test_changes_from_elsewhere_change_nothing(server, headers, body, expected):
    """The sheet stays the same."""
    before = server.sheet.read_bytes()
    status, _, text = request(
        server, "POST", "/api/answer", headers={**own(server), **headers}, body=body
    )
    assert status == expected
    assert "Refused" in text or json.loads(text)["refused"].startswith("Not saved")
    assert server.sheet.read_bytes() == before


def test_the_first_visit_sets_a_cookie_that_scripts_cannot_read(server):
    """Browsers do not send it with requests of other sites."""
    path = f"/?token={server.token}"
    status, headers, _ = request(server, path=path, headers={"Cookie": None})
    assert status == 200
    assert headers["set-cookie"].endswith("; HttpOnly; SameSite=Strict; Path=/")
    assert server.token in headers["set-cookie"]


@pytest.mark.parametrize("path", ["/", "/style.css", "/api/state", "/nothing"])
def test_every_answer_has_the_strict_headers(server, path):
    """No inline code, no foreign content, no frames, no caching."""
    _, headers, _ = request(server, path=path)
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize(
    ("host", "asked", "expected"),
    [
        ("127.0.0.1", "localhost:80", True),
        ("127.0.0.1", "[::1]:80", True),
        ("127.0.0.1", "192.168.0.7:80", False),
        ("0.0.0.0", "192.168.0.7:80", True),
        ("0.0.0.0", "evil.example:80", False),
        ("audit.lan", "audit.lan:80", True),
        ("127.0.0.1", "127.0.0.1", False),
    ],
)
def test_hosts_are_addresses_unless_a_name_was_asked_for(host, asked, expected):
    """Any name can be made to point to this machine, but an address cannot."""
    access = AccessControl(None, "token", host, 80)
    assert (access._refusal("GET", {"host": asked}, "token") == "") is expected


def test_many_answers_at_once_are_all_saved(tmp_path):
    """Four connections answer every row at the same time; one of the four is saved."""
    rows = "".join(f"{k / 40},{int(k % 3 == 0)}\n" for k in range(40))
    (tmp_path / "scores.csv").write_text(f"score,label\n{rows}")
    with serving(tmp_path, "scores.csv", "--budget", "20") as server:
        refused = []

        def answer(row, word):
            body = {"row": row, "answer": word, "seen": ""}
            _, _, text = request(server, "POST", "/api/answer", headers=own(server), body=body)
            refused.append(json.loads(text)["refused"])

        while (upcoming := json.loads(request(server)[2])["next"]) is not None:
            threads = [
                threading.Thread(target=answer, args=(upcoming["row"], word))
                for word in ("yes", "no") * 2
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert sum(map(bool, refused)) == 3 * 20
        assert len(refused) == 4 * 20
        saved = (tmp_path / "scores.audit.csv").read_text(encoding="utf-8-sig").splitlines()
        assert len(saved) == 21
        assert {line.rpartition(",")[2] for line in saved[1:]} <= {"0", "1"}
        assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_a_port_in_use_is_one_line(tmp_path, server, capsys):
    """No sheet is written."""
    (tmp_path / "s.csv").write_text("score,label\n0.1,0\n0.9,1\n")
    port = server.origin.rpartition(":")[2]
    assert run(["audit", "serve", str(tmp_path / "s.csv"), "--port", port]) == 2
    error = capsys.readouterr().err
    assert error.startswith("Error: ")
    assert f"Port {port}" in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]


def test_other_machines_cannot_connect(server):
    """The port is open on the loopback address only."""
    port = int(server.origin.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        pass
    assert server.origin.startswith("http://127.0.0.1:")
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):  # noqa: PT011
        pass
