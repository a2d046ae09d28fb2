"""Commands that are killed, starved of disk and raced by others."""
