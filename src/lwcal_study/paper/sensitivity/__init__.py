"""The paper's claims under every choice that its text leaves open."""
