"""Baselines that the paper cites or a reader expects. No table or claim of the paper uses them."""
