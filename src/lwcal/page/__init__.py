"""The local web page for checking labels. Needs ``pip install "lwcal[page]"``."""
