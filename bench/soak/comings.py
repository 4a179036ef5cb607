"""Sessions that come and go, without a browser, to see whether the server forgets them.

    python -m bench.soak.comings --visits 400

Each visit opens the connection of a page, has one page drawn, and closes the connection, as a tab does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from time import perf_counter, sleep

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from bench.soak.watch import Watch, complaints_in
from tests.browser.server import Dashboard, start_dashboard

LONGEST = 60.0


def visit(server: Dashboard, query: str) -> float:
    """Have the first page drawn for a new session; seconds until it was."""
    begun = perf_counter()
    with connect(
        f"ws://127.0.0.1:{server.port}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        origin=Origin(server.address),
        max_size=None,
        proxy=None,
    ) as connection:
        connection.send(BackMsg(rerun_script=ClientState(query_string=query)).SerializeToString())
        while True:
            frame = connection.recv(LONGEST)
            if isinstance(frame, bytes) and ForwardMsg.FromString(frame).WhichOneof("type") == "script_finished":
                return perf_counter() - begun


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.soak.comings", description="Open and close many sessions.")
    parser.add_argument("--visits", type=int, default=400)
    parser.add_argument("--wait", type=float, default=0.0, help="seconds between two visits")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        server = start_dashboard(Path(name))
        try:
            watch = Watch(server.process.pid, server.address)
            print("| visits | memory, MB | threads | open files | seconds a visit |\n| --- | --- | --- | --- | --- |")
            step = max(1, wanted.visits // 10)
            for begin in range(0, wanted.visits + 1, step):
                now = watch.read()
                took = visit(server, "measure=nDCG")
                print(f"| {begin:,} | {now.memory:,.0f} | {now.threads} | {now.files} | {took:.2f} |", flush=True)
                for number in range(1, step):
                    visit(server, f"measure=nDCG&tie=random:{number % 5}")
                    sleep(wanted.wait)
            complaints = complaints_in(server.log)
        finally:
            server.stop()
    print(f"\n{len(complaints)} lines of the log with an error, exception or warning.")
    print("\n".join(complaints[:20]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(_main())
