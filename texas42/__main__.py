"""Lets `python -m texas42` stand for the command `texas42`."""

import sys

from texas42.cli import main

if __name__ == "__main__":
    sys.exit(main())
