"""``python -m tiecore_dashboard run SCRIPT …`` is Streamlit that ends by Ctrl-C without a complaint."""

import errno
import os
import signal
import sys

MENDABLE = 2
INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def main() -> None:
    """Run Streamlit with the arguments of the command line."""
    # While it loads there is nothing to put in order; later the server has its own way to end, and then comes to this.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # pieces of work may still be under way in threads
    from click.exceptions import ClickException
    from streamlit.web import cli

    try:
        cli.main(prog_name="streamlit", standalone_mode=False)
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is buffered finds room there
        sys.stderr.write(f"error: cannot write to standard output: {error.strerror}\n")
        sys.exit(MENDABLE)


if __name__ == "__main__":
    main()
