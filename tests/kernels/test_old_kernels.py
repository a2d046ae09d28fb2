"""Kernels that were compiled from an older source."""

import sys
from types import SimpleNamespace

import pytest

from lwcal import kernels
from lwcal.kernels.backend import available_backends


def test_kernels_that_lack_a_function_are_not_used(monkeypatch):
    """The numpy ones do the work, and the warning says what to do."""
    old = SimpleNamespace(**dict.fromkeys(kernels.KERNELS[1:]))
    monkeypatch.setattr(kernels, "compiled", old, raising=False)
    monkeypatch.setitem(sys.modules, "lwcal.kernels.compiled", old)
    with pytest.warns(UserWarning, match=f"{kernels.KERNELS[0]} is missing.*pip install"):
        assert list(available_backends()) == ["pure"]
