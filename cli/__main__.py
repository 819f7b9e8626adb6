"""`python -m posemb.cli`, where the `posemb` script is not on the PATH."""

from . import main

main()
