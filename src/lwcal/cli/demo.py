"""``lwcal demo``: the whole job on fictional data, on one screen."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lwcal.audit.sheet import ANSWER
from lwcal.cli.console import facts_table, numbers_table
from lwcal.cli.demo_data import FALSE_ALARM, MISSED_FRAUD, ROWS, score_disputes
from lwcal.cli.demo_files import EXPLAINED, check_folder, write_files
from lwcal.cli.demo_story import CHECKS, Quality, Story, tell, who_was_right
from lwcal.cli.progress import late_progress
from lwcal.cli.verdict import print_verdict, readings_table
from lwcal.plots.reliability import new_axes

WIDEST = 100
"""Longer lines are hard to read."""
SHOWN = {
    "raw score": "raw score",
    "Platt": "Platt",
    "LWCal": "LWCal (paper)",
    "Gated-LWCal": "Gated-LWCal (paper)",
    "Auto": "Auto (labels only)",
    "Audited": f"Audited ({CHECKS} checks)",
}
"""How the calibrators are called in the table."""
LOWER_IS_BETTER = "lower is better; ECE: calibration error"


def run(out: Path, *, force: bool) -> None:
    """Tell the story, and write the files."""
    new_axes()  # reports a missing matplotlib before any work is done
    check_folder(out, force=force)
    console = Console(highlight=False, width=min(Console().width, WIDEST))
    console.rule("[bold]lwcal demo: card disputes with unreliable labels")
    console.print(
        f"{ROWS:,} fictional card disputes; the positive class is fraud (label 1). Reviewers "
        f"missed {MISSED_FRAUD:.0%} of the frauds, and called {FALSE_ALARM:.0%} of the honest "
        "payments fraud. A random forest learned from 6,000 of these labels; 3,000 others "
        "calibrate it."
    )
    scored = score_disputes()
    with late_progress("calibrating"):
        story = tell(scored)
    print_story(console, story)
    write_files(scored, story, out)
    _print_files(console, out)


def print_story(console: Console, story: Story) -> None:
    """Print both verdicts, and what the truth says about them."""
    _heading(console, "1. The labels alone")
    print_verdict(console, story.by_labels.recommendation)
    readings, evidence = story.by_labels.readings, story.by_labels.evidence
    console.print(readings_table(readings, evidence, losses_only=True))
    _heading(console, f"2. After {CHECKS} checked labels")
    console.print(
        f"{CHECKS} of the 3,000 labels are checked, picked as lwcal audit serve --budget {CHECKS} "
        f"picks them. Wrong among them: {story.checks.wrong}."
    )
    print_verdict(console, story.by_checks.recommendation)
    _heading(console, "3. The truth: 3,000 further disputes with true labels")
    console.print(_results(story.qualities))
    console.print(who_was_right(story))


def _heading(console: Console, text: str) -> None:
    console.rule(f"[bold]{escape(text)}", align="left")


def _results(qualities: Mapping[str, Quality]) -> Table:
    table = numbers_table("", "log loss", "change", "ECE", caption=LOWER_IS_BETTER)
    for name, (log_loss, ece, gain) in qualities.items():
        change = "" if name == "raw score" else f"{-gain:+.1%}"
        table.add_row(SHOWN[name], f"{log_loss:.3f}", change, f"{ece:.3f}")
    return table


def _print_files(console: Console, out: Path) -> None:
    _heading(console, f"Files in {out}")
    table = facts_table()
    for names, what in EXPLAINED.items():
        table.add_row(", ".join(names), what)
    console.print(table)
    _heading(console, "Try these commands, then use them on your own file")
    rows, lwcal = out / "calibration.csv", _command()
    console.print(
        f"{lwcal} diagnose {rows}\n"
        f"{lwcal} diagnose {out / 'checked.csv'} --trusted {ANSWER}\n"
        f"{lwcal} fit {rows} --out mine.json\n"
        f"{lwcal} report mine.json {rows} --out mine.html\n"
        f"{lwcal} apply mine.json {rows} --out mine.csv",
        soft_wrap=True,
        markup=False,
    )


def _command() -> str:
    """What to type: the name if a shell finds this program under it, otherwise the path."""
    found = which("lwcal")
    return "lwcal" if found and Path(found) == Path(sys.argv[0]) else sys.argv[0]
