"""Benchmarks of speed, memory and quality. ``make bench`` runs those of speed and memory."""
