"""The backbone."""
