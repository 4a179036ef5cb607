"""``python -m bench.soak [--minutes 60] [--sessions 3] [--think 8]``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from threading import Event, Thread
from time import monotonic, perf_counter, sleep

from bench.soak.summary import summary
from bench.soak.visitor import Diary, Visitor
from bench.soak.watch import Watch, complaints_in
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import start_dashboard

EVERY = 5.0
"""Seconds between two looks at the server."""
AFTERWARDS = 150.0
"""Seconds to watch on when all have gone: more than the server keeps sessions whose tab was closed."""


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description="Use the dashboard for long; watch it.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--sessions", type=int, default=3, help="people at once (default: 3)")
    parser.add_argument("--think", type=float, default=8.0, help="seconds between two acts of one (default: 8)")
    parser.add_argument("--output", type=Path, help="where to write the result besides standard output")
    wanted = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(ADVICE, file=sys.stderr)
        return 2

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = start_dashboard(folder)
        try:
            watch = Watch(server.process.pid, server.address)
            readings = [watch.read()]
            over = Event()
            diary = Diary(begun=perf_counter())
            visitors = [
                Visitor(number, server.address, diary, folder, think=wanted.think) for number in range(wanted.sessions)
            ]
            threads = [Thread(target=one.stay, args=(str(chromium), over), daemon=True) for one in visitors]
            for thread in threads:
                thread.start()
            seconds = wanted.minutes * 60
            until = monotonic() + seconds
            said = 0
            while monotonic() < until and all(thread.is_alive() for thread in threads):
                sleep(EVERY)
                readings.append(watch.read())
                if readings[-1].at >= 60 * (said + 1):
                    said += 1
                    now = readings[-1]
                    wrong = sum(bool(act.problem) for act in diary.acts)
                    print(
                        f"{said} min: {now.memory:,.0f} MB, {now.threads} threads, {now.files} files, "
                        f"{len(diary.acts)} acts, {wrong} wrong, {now.processor:.0f} s of processor",
                        file=sys.stderr,
                        flush=True,
                    )
            stayed_to_the_end = all(thread.is_alive() for thread in threads)
            over.set()
            for thread in threads:
                thread.join(timeout=60)
            if wanted.minutes > 5:
                sleep(AFTERWARDS)
                readings.append(watch.read())
            written = summary(readings, diary, seconds=seconds, log=complaints_in(server.log))
        finally:
            server.stop()
    print(written)
    if wanted.output:
        wanted.output.write_text(written + "\n", encoding="utf-8")
    clean = stayed_to_the_end and not any(act.problem for act in diary.acts) and not diary.outside
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(_main())
