"""``python -m tiecore`` is the command ``tiecore``."""

from tiecore.cli import main

if __name__ == "__main__":
    main()
