"""Every calibrator against every other, on the paper's tasks and on real ones.

Needs the extras: ``pip install "lwcal[leaderboard]"``.
"""
