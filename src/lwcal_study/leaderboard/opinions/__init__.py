"""The leaderboard of several opinions: what a second label is worth, and an expert's.

``ways`` calibrates in one way, ``methods`` lists the ways with what they are told, ``run`` runs one
cell, ``losses`` and ``tables`` reduce the scores, ``aims`` holds them against what was asked for,
``figures`` draws gap against hours, and ``report`` writes the page.
"""
