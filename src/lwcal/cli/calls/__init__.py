"""How each command is called: its options, their defaults, and its help.

These modules import no library but typer, so that help and completion are quick. The work of a
command is in the module of its name one level up. It is imported when the command runs.
"""
