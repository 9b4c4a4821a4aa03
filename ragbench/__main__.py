"""``python -m ragbench``: the command line."""

from ragbench.cli import main

if __name__ == "__main__":
    main()
