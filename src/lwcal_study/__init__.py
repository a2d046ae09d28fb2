"""The paper's whole experiment, from the public names of lwcal.

A client of the library: nothing in the library imports it. Needs the extra:
``pip install "lwcal[study]"``.
"""
