"""``python -m dashboard run SCRIPT …`` is Streamlit that ends by Ctrl-C without a complaint."""

import errno
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

MENDABLE = 2
INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
PACKAGE = Path(__file__).parent


def main() -> None:
    """Run Streamlit with the arguments of the command line."""
    # While it loads there is nothing to put in order; later the server has its own way to end, and then comes to this.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # pieces of work may still be under way in threads
    from click.exceptions import ClickException
    from streamlit.web import cli

    _refuse_unreadable_judgments()
    try:
        cli.main(prog_name="streamlit", standalone_mode=False)
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is buffered finds room there
        _end(f"cannot write to standard output: {error.strerror}")


def _end(message: str) -> NoReturn:
    """End as a command of tiecore does about what the user can mend: by one line."""
    from tiecore.escape import visible

    sys.stderr.write(f"error: {visible(message)}\n")
    sys.exit(MENDABLE)


def _refuse_unreadable_judgments() -> None:
    """End where all pages could say no more than that the judgments cannot be read."""
    if str(PACKAGE.parent) not in sys.path:  # there is the folder of this script, not that of the package
        sys.path.append(str(PACKAGE.parent))
    from tiecore_dashboard.files import sources

    if problem := sources.unreadable_judgments():
        _end(problem)


if __name__ == "__main__":
    main()
