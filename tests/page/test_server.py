"""The server: when it says that it has begun."""

import subprocess
import sys

INTERRUPTED = """
import signal
from lwcal.page.server import listen, serve

async def nothing(scope, receive, send):
    pass

def announce(address):
    print(address.partition("token=")[0], signal.getsignal(signal.SIGINT).__name__)
    signal.raise_signal(signal.SIGINT)

with listen("127.0.0.1", 0) as listening:
    print(listening.getsockname()[1])
    serve(nothing, listening, "127.0.0.1", announce)
print("ended")
"""


def test_an_interrupt_right_after_the_announcement_ends_it():
    """Nobody can press Ctrl-C too early: the server answers it before it gives its address."""
    # a process of its own, because other tests leave an event loop running in this one
    command = [sys.executable, "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    port, announced, ended = done.stdout.splitlines()
    assert announced == f"http://127.0.0.1:{port}/? handle_exit"
    assert (ended, done.stderr) == ("ended", "")
