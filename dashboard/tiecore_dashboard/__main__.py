"""``python -m dashboard run SCRIPT …`` is Streamlit that answers at once, and ends by Ctrl-C without a complaint."""

import os
import signal
import socket
import sys

__all__ = ["main"]

INTERRUPTED = 130  # 128 and the number of the signal, as a shell counts


def main() -> None:
    """Run Streamlit with the arguments of the command line."""
    # While it loads there is nothing to put in order; later the server has its own way to end, and then comes to this.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # pieces of work may still be under way in threads
    from click.exceptions import ClickException
    from streamlit.web import cli

    _send_at_once()
    try:
        cli.main(prog_name="streamlit", standalone_mode=False)
    except ClickException as error:
        error.show()
        sys.exit(error.exit_code)


def _send_at_once() -> None:
    """Let no answer wait until the one before has been acknowledged, as Nagle's algorithm has it: 40 ms each time.

    asyncio turns that off for sockets that were made for TCP by name, which the one that Streamlit listens on is not
    (as in uvicorn's own: github.com/Kludex/uvicorn/issues/3149). Accepted connections take it over from that one.
    """
    import uvicorn

    class Prompt(uvicorn.Server):
        def run(self, sockets: list[socket.socket] | None = None) -> None:
            for listener in sockets or ():
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            super().run(sockets)

    uvicorn.Server = Prompt  # type: ignore[misc]


if __name__ == "__main__":
    main()
