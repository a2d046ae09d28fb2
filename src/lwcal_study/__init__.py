"""The studies of lwcal: the paper's experiment, and the leaderboard of calibrators.

This package is a client of the library. It uses public names of :mod:`lwcal` only, and the
library never imports it. It needs the extra ``study``: ``pip install "lwcal[study]"``.
"""
