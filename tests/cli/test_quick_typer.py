"""Commands import less than typer would, and take the same values and show the same help."""

import os
import sys
from types import SimpleNamespace

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.markdown import Markdown
from typer._coercion import build_runtime_param

from lwcal.cli.app import COMMANDS, app, as_command, load_command, run
from lwcal.cli.quick_typer import UNUSED, QuickCommand, QuickValue, import_rich_help


def parameters(command, *names):
    """Every parameter of a command and of those below it, by what a user types."""
    context = typer.Context(command, info_name="lwcal")
    found = {(*names, param.name): (param, context) for param in command.get_params(context)}
    for name, inner in getattr(command, "commands", {}).items():
        found |= parameters(inner, *names, name)
    return found


def all_parameters():
    """Those of lwcal itself, and of its own commands."""
    found = parameters(typer.main.get_command(app))
    for name in COMMANDS:
        found |= parameters(as_command(name, load_command(name)), name)
    return found


ALL = all_parameters()


def outcome(convert, value, param, context):
    """A value with its type, or the message."""
    try:
        found = convert(value, param=param, ctx=context)
    except typer.BadParameter as error:
        return error.format_message()
    return type(found), found


def test_every_parameter_is_quick():
    """Also the option --help, and those of groups."""
    assert {("fit", "out"), ("audit", "plan", "budget"), ("help",)} <= set(ALL)
    assert all(isinstance(param._runtime_param, QuickValue) for param, _ in ALL.values())


# the system passes no NUL, and pydantic refuses what is not UTF-8
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(
    name=st.sampled_from(sorted(ALL)),
    given=TEXTS | st.integers(-3, 3).map(str) | st.sampled_from([".", "/", "-"]),
)
def test_values_are_those_of_typer(name, given):
    """Or the refusal is."""
    param, context = ALL[name]
    own = build_runtime_param(param.type_descriptor).coerce
    many = param.multiple or param.nargs == -1
    for value in ([given] if many else given, param.default, None):
        expected = outcome(own, value, param, context)
        assert outcome(param._runtime_param.coerce, value, param, context) == expected


def test_a_path_without_permission_is_refused_as_by_typer(tmp_path, monkeypatch):
    """typer looks at existing files before a command does."""
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    param, context = ALL["apply", "calibrator"]
    own = build_runtime_param(param.type_descriptor).coerce
    refused = outcome(param._runtime_param.coerce, str(secret), param, context)
    assert refused == outcome(own, str(secret), param, context)
    assert "not readable" in refused


def test_a_path_with_a_zero_byte_is_refused_as_by_typer():
    """No file has such a name, and no shell can type it, but a program can."""
    param, context = ALL["apply", "calibrator"]
    own = build_runtime_param(param.type_descriptor).coerce
    refused = outcome(param._runtime_param.coerce, "a\0b", param, context)
    assert refused == outcome(own, "a\0b", param, context)
    assert "null byte" in refused


def test_other_parameters_stay_as_they_are():
    """Another version of typer may describe its types in another way."""
    other = SimpleNamespace(opts=["--other"], secondary_opts=[])
    command = QuickCommand(name="one", params=[other], add_help_option=False)
    assert command.get_params(typer.Context(command)) == [other]
    assert set(vars(other)) == {"opts", "secondary_opts"}


@pytest.mark.parametrize("gone", ["typer._coercion", "typer._param_types"])
def test_values_are_converted_without_this(monkeypatch, gone):
    """Another version of typer may do it elsewhere."""
    param = SimpleNamespace(opts=["--out"], secondary_opts=[], type_descriptor=None)
    command = QuickCommand(name="one", params=[param], add_help_option=False)
    monkeypatch.setitem(sys.modules, gone, None)
    assert not hasattr(command.get_params(typer.Context(command))[0], "_runtime_param")


@pytest.fixture
def fresh_help(monkeypatch):
    """As if no help was printed yet in this process."""
    for name in ("typer.rich_utils", *UNUSED):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr(typer, "rich_utils", raising=False)


def test_what_help_does_not_use_is_imported_when_it_is_used(fresh_help):
    """Then they are rich's own."""
    import_rich_help()
    assert not set(UNUSED) & set(sys.modules)
    shown = sys.modules["typer.rich_utils"]
    assert shown.Markdown.__name__ == Markdown.__name__
    assert shown.Markdown("**text**").markup == "**text**"
    assert "rich.markdown" in sys.modules
    try:
        _ = 1 / 0
    except ZeroDivisionError as error:
        found = shown.Traceback.from_exception(type(error), error, error.__traceback__)
    assert found.trace.stacks[0].exc_type == "ZeroDivisionError"


def test_help_works_without_this(fresh_help, monkeypatch):
    """Another version of typer may print it in another way."""
    monkeypatch.setitem(sys.modules, "typer.rich_utils", None)
    import_rich_help()
    assert not set(UNUSED) & set(sys.modules)


def test_a_similar_name_is_suggested(capsys):
    """Although no command was loaded."""
    assert run(["fi"]) == 2
    assert "'fit'" in capsys.readouterr().err
