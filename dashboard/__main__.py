"""``python -m dashboard run SCRIPT …`` is Streamlit, ended by Ctrl-C without a complaint."""

import os
import signal
import sys

__all__ = ["main"]

INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts


def main() -> None:
    """Run Streamlit with the arguments of the command line."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # while it loads, which has nothing to put in order
    from click.exceptions import Abort, ClickException
    from streamlit.web import cli

    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cli.main(prog_name="streamlit", standalone_mode=False)
    except (Abort, KeyboardInterrupt):
        sys.stderr.flush()
        os._exit(INTERRUPTED)  # pieces of work may still be under way in threads
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
