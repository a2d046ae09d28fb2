"""The paper's sentences as claims of one or more parts, each part tested on the cells."""
