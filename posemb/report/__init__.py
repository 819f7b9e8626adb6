"""What a person reads: tables and pictures of curves."""
