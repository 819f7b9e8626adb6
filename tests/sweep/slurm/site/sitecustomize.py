"""On a node of the small cluster, Python believes that it is another machine."""

import os
import socket

if node := os.environ.get("SLURMD_NODENAME"):
    socket.gethostname = lambda: node
