"""Commands of other packages, by the entry-point group ``lwcal.commands``."""

import logging
import sys

import pytest

from lwcal.cli.app import COMMANDS, run
from tests.cli.helpers import call

POINTS = """
[lwcal.commands]
hello = hello_commands:hello
tools = hello_commands:tools
poor = hello_poor:poor [extra]
bare = hello_poor:bare
broken = hello_broken:broken
late = hello_commands:late
fit = hello_commands:hello
"""
CODE = '''
import typer

tools = typer.Typer(help="Several tools.")

def hello(name: str, count: int = 1) -> int:
    """Greet somebody."""
    print(f"hello {name} " * count)
    return 1

def late() -> None:
    """Import something when it runs."""
    import no_such_package

@tools.command()
def add(a: int, b: int) -> None:
    """Add two numbers."""
    print(a + b)

@tools.callback()
def options() -> None:
    """Several tools."""
'''


@pytest.fixture
def plugins(tmp_path, monkeypatch):
    """A distribution that adds commands, some of which cannot be imported."""
    about = tmp_path / "hello-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    (tmp_path / "hello_commands.py").write_text(CODE)
    (tmp_path / "hello_poor.py").write_text("import no_such_package\n")
    (tmp_path / "hello_broken.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


def test_a_function_and_an_app_become_commands(plugins, capsys):
    """With their options, their help and their exit codes."""
    assert call("hello you --count 2") == 1
    assert capsys.readouterr().out == "hello you hello you \n"
    assert call("tools add 2 3") == 0
    assert capsys.readouterr().out == "5\n"
    assert call("hello --help") == 0
    assert "Greet somebody." in capsys.readouterr().out
    assert call("hello") == 2
    assert "see lwcal hello --help" in capsys.readouterr().err


def test_the_help_lists_them_whether_or_not_they_can_be_imported(plugins, capsys):
    """One that cannot says why."""
    assert call("--help") == 0
    shown = capsys.readouterr().out
    for name in COMMANDS:
        assert f" {name} " in shown
    lines = {line.split()[1]: line for line in shown.splitlines() if line.startswith("│ ")}
    assert "Greet somebody." in lines["hello"]
    assert "Several tools." in lines["tools"]
    assert 'pip install "hello[extra]"' in lines["poor"]
    assert "division by zero" in lines["broken"]


def test_one_that_lacks_a_package_names_the_command_that_installs_it(plugins, capsys):
    """The extra of its entry point, or the distribution."""
    for name, expected in (("poor", "hello[extra]"), ("bare", "hello")):
        assert call(name) == 2
        shown = capsys.readouterr().err
        assert f"lwcal {name} needs no_such_package" in shown
        assert f'pip install "{expected}"' in shown
        assert shown.count("\n") == 1


def test_one_that_fails_is_no_verdict(plugins, capsys):
    """As any other bug; lwcal does not know what installs the packages of others."""
    assert call("broken") == 3
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert call("late") == 3
    shown = capsys.readouterr().err
    assert "no_such_package" in shown
    assert "pip install" not in shown


def test_plugins_are_imported_only_to_show_their_help(plugins, monkeypatch, capsys):
    """Neither for other commands nor for a completion."""
    monkeypatch.setattr("sys.argv", ["lwcal"])
    monkeypatch.setenv("_LWCAL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "lwcal f")
    monkeypatch.setenv("COMP_CWORD", "1")
    monkeypatch.delitem(sys.modules, "hello_commands", raising=False)
    assert run([]) == 0
    assert capsys.readouterr().out.split() == ["fit"]
    assert "hello_commands" not in sys.modules


def test_a_name_that_is_taken_is_ignored(plugins, capsys, caplog):
    """With a warning in the log; lwcal's own command runs."""
    with caplog.at_level(logging.WARNING, logger="lwcal"):
        assert run(["fit", "--help"]) == 0
        assert run(["--help"]) == 0
    assert "Fit a calibrator" in capsys.readouterr().out
    assert [record.args for record in caplog.records] == [("fit", "hello_commands:hello")]
