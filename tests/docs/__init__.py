"""The documentation: what it tells to run runs, and what it links to is there."""
