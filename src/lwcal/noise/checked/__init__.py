"""What labels that somebody checked say about the others."""
