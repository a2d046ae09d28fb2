"""Commands that this package adds to ``lwcal``, through the entry points ``lwcal.commands``.

The modules import little: ``lwcal`` loads them at every start.
"""
