"""Runs: config, folder, logs, and what happens from start to finish."""
