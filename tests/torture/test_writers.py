"""Several processes on one file."""

import http.client
import json
import os
from concurrent.futures import ThreadPoolExecutor

import pandas as pd

from lwcal.audit.sheet import ANSWER
from tests.page.running import serving
from tests.torture.victim import COMMANDS, Victim, contents, copy

ANSWERS = int(os.environ.get("LWCAL_ANSWERS", "60"))
"""Answers over all clients; ``make torture`` asks for more."""
CLIENTS = 10


class Client:
    """A window that answers one row after the other."""

    def __init__(self, server):
        host = server.origin.removeprefix("http://")
        self._connection = http.client.HTTPConnection(host, timeout=120)
        self._headers = {
            "Origin": server.origin,
            "Cookie": f"lwcal_audit_{host.rpartition(':')[2]}={server.token}",
            "Content-Type": "application/json",
        }

    def answer_all(self, word):
        """Answer until no row is left; return the rows whose answer was confirmed."""
        confirmed = []
        state = self._ask("GET", "/api/state")
        while state["next"] is not None:
            row = state["next"]["row"]
            state = self._ask("POST", "/api/answer", {"row": row, "answer": word, "seen": ""})
            if not state["refused"]:
                confirmed.append(row)
            else:
                assert "another window" in state["refused"]  # any other reason would not pass
        self._connection.close()
        return confirmed

    def _ask(self, method, place, document=None):
        body = None if document is None else json.dumps(document)
        self._connection.request(method, place, body, self._headers)
        return json.loads(self._connection.getresponse().read())


def test_two_servers_lose_no_answer(tmp_path, inputs):
    """Ten clients each on one sheet: what was confirmed is on the disk, each answer once."""
    copy(inputs, tmp_path / "here")
    options = ("rows.csv", "--score", "s", "--label", "y", "--id", "id", "--budget", str(ANSWERS))
    with serving(tmp_path / "here", *options) as one, serving(tmp_path / "here", *options) as two:
        clients = [(Client(server), word) for server, word in [(one, "yes"), (two, "no")] * CLIENTS]
        with ThreadPoolExecutor(len(clients)) as pool:
            confirmed = list(pool.map(lambda pair: pair[0].answer_all(pair[1]), clients))
    sheet = pd.read_csv(tmp_path / "here" / "rows.audit.csv", dtype=str, encoding="utf-8-sig")
    answered = sheet[ANSWER].value_counts()
    assert answered.sum() == ANSWERS
    for (_, word), label in zip(clients[:2], ("1", "0"), strict=True):
        told = sum(len(rows) for (_, w), rows in zip(clients, confirmed, strict=True) if w == word)
        assert told == answered.get(label, 0)
    assert contents(tmp_path / "here").keys() == {*contents(inputs), "rows.audit.csv"}


def test_two_commands_with_one_target(tmp_path, inputs, victim):
    """Each writes the whole file, in whichever order; without --force, one of them is refused."""
    line, _ = COMMANDS["apply to CSV"]
    folder = copy(inputs, tmp_path / "here")
    other = Victim()
    victims = [victim, other]
    try:
        with ThreadPoolExecutor(2) as pool:
            ended = list(pool.map(lambda v: v.run(line, folder), victims))
        assert [code for code, _ in ended] == [0, 0], ended
        expected = contents(folder)
        (folder / "new.csv").unlink()
        line = line.replace(" --force", "")
        with ThreadPoolExecutor(2) as pool:
            ended = list(pool.map(lambda v: v.run(line, folder), victims))
    finally:
        other.close()
    assert sorted(code for code, _ in ended) == [0, 2], ended
    assert contents(folder) == expected
