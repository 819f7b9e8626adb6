"""Position methods, one file each."""
