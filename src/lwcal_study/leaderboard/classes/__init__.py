"""The leaderboard of many classes: joint calibrators against one calibrator for each class.

``methods`` has the methods, ``run`` runs one cell, ``losses`` reduces the scores to shares and
ratios, ``aims`` holds these against what was asked for, and ``report`` writes the page.
"""
