"""The local page on which a person checks labels. Needs ``pip install "lwcal[page]"``."""
