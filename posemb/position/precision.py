"""The best floating-point precision that a device has."""

import torch


def finest(device: torch.device) -> torch.dtype:
    """float64; float32 on MPS, which has nothing finer."""
    return torch.float32 if device.type == "mps" else torch.float64
