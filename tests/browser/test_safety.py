"""What strangers, other sites and other visitors can not do, tried on a dashboard that really runs."""

import base64
import contextlib
import gzip
import http.client
import os
import re
import socket
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import pytest

from tests.browser.board import PATIENCE, QRELS, UPLOADER, Board
from tests.browser.server import ROOT, Dashboard, free_port, start_dashboard, start_server
from tests.browser.test_exports import taken, unfolded

MEBI = 2**20
FOREIGN = ["evil.example", "127.0.0.1.evil.example", "127.0.0.1@evil.example", "127.0.0.1:x", "[::1", "evil.example:80"]


def request(
    address: str, path: str = "/", *, method: str = "GET", host: str | None = None, body: bytes | None = None
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Ask as no browser would, path and Host header just as they are given."""
    own = urlsplit(address).netloc
    connection = http.client.HTTPConnection(own, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", own if host is None else host)
    connection.putheader("Content-Length", str(len(body or b"")))
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, answer.headers, content


def connection_is_granted(address: str, *, host: str | None = None, origin: str | None = None) -> bool:
    """Ask for the WebSocket over which a page gets all its content."""
    own = urlsplit(address)
    lines = [
        "GET /_stcore/stream HTTP/1.1",
        f"Host: {own.netloc if host is None else host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: streamlit",
        *([] if origin is None else [f"Origin: {origin}"]),
    ]
    with socket.create_connection((own.hostname or "", own.port or 0), timeout=20) as probe:
        probe.sendall("\r\n".join([*lines, "", ""]).encode())
        status = probe.recv(12)
    assert status in (b"HTTP/1.1 101", b"HTTP/1.1 403"), status
    return status.endswith(b"101")


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/metrics", "/media/x.csv", "/static/index.html"])
def test_a_foreign_name_of_this_computer_gets_no_answer(address: str, path: str) -> None:
    for host in FOREIGN:
        status, _, content = request(address, path, host=host)
        assert status in (400, 403), host
        assert b"<html" not in content
    for host in ("localhost", "LOCALHOST:8501", "127.0.0.1"):
        assert request(address, path, host=host)[0] in (200, 404), host


def test_only_a_page_of_the_dashboard_itself_gets_a_connection(address: str) -> None:
    own = urlsplit(address)
    assert connection_is_granted(address, origin=address)
    for origin in ("http://evil.example", "null", "http://localhost:3000", f"http://{own.hostname}:1", "http://[::1"):
        assert not connection_is_granted(address, origin=origin), origin
    for host in FOREIGN:
        assert not connection_is_granted(address, host=host, origin=f"http://{host}"), host


def test_a_stranger_who_knocks_makes_the_server_ask_nobody(server: Dashboard) -> None:
    """Streamlit looks for the address of this computer outside, before it refuses a page of another site."""
    assert not connection_is_granted(server.address, origin="http://evil.example")
    assert request(server.address, host="evil.example")[0] == 403
    assert "ASKED FOR" not in server.log.read_text()


@pytest.mark.parametrize(
    "path",
    ["/", "/pairs", "/nothing", "/_stcore/health", "/_stcore/metrics", "/media/x", "/static/../x", "//etc/passwd"],
)
def test_every_answer_tells_the_browser_to_keep_to_itself(address: str, path: str) -> None:
    for host in (None, "evil.example"):
        _, headers, content = request(address, path, host=host)
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "SAMEORIGIN"
        assert headers["referrer-policy"] == "no-referrer"
        assert b"root:" not in content


def test_a_page_may_call_this_server_alone(address: str) -> None:
    own = urlsplit(address).netloc
    for host, called in ((None, f"'self' ws://{own} wss://{own}"), ("x; img-src *", "'self'"), ("evil", "'self'")):
        _, headers, _ = request(address, "/_stcore/health", host=host)
        assert headers["content-security-policy"].endswith(f"; connect-src {called}")


def test_streamlit_starts_it_with_equal_limits(address: str, new_board: Callable[..., Board], tmp_path: Path) -> None:
    port = free_port()
    script = str(ROOT / "dashboard" / "app.py")
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    with contextlib.closing(start_server(command, tmp_path, os.environ, port=port)) as started:
        for path in ("/", "/_stcore/host-config", "/nothing/_stcore/health"):
            for host in ("localhost", *FOREIGN[:2]):
                one, other = (request(at, path, host=host) for at in (started.address, address))
                assert (one[0], one[2]) == (other[0], other[2])
                assert {name: text for name, text in one[1].items() if name != "date"} == {
                    name: text for name, text in other[1].items() if name != "date"
                }
        assert "bm25" in new_board(at=started.address).open("?measure=AP").text()


def test_a_page_of_another_site_can_drop_nothing_in(address: str) -> None:
    """It may send a body, but not the header with the name, unless the server lets it: nobody says that it does."""
    assert request(address, "/files", method="POST", body=b"x")[0] == 400
    assert request(address, "/files", method="OPTIONS")[0] != 200
    assert request(address, "/files", method="POST", host="evil.example", body=b"x")[0] == 403
    assert request(address, "/_stcore/upload_file/some/file", method="PUT", body=b"x")[0] == 403


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, chromium: Path) -> Iterator[Dashboard]:
    """A dashboard of its own, whose memory is that of these tests."""
    with contextlib.closing(start_dashboard(tmp_path_factory.mktemp("alone"))) as started:
        yield started


def megabytes(started: Dashboard, what: str) -> int:
    """Memory of the server: ``VmRSS`` now, ``VmHWM`` the most it ever was; 0 where the system does not tell."""
    try:
        status = Path(f"/proc/{started.process.pid}/status").read_text()
    except FileNotFoundError:
        return 0
    found = re.search(rf"{what}:\s+(\d+)", status)
    return int(found[1]) // 1024 if found else 0


def forget_peak(started: Dashboard) -> int:
    """Let the most memory count from now on; memory now."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{started.process.pid}/clear_refs").write_text("5")
    return megabytes(started, "VmRSS")


def held_uploads(started: Dashboard) -> int:
    with urllib.request.urlopen(f"{started.address}/_stcore/metrics") as answer:
        found = re.findall(r"cache_memory_bytes\{[^}]*upload[^}]*\} (\d+)", answer.read().decode())
    return sum(map(int, found))


def drop_while_another_works(one: Board, other: Board, file: Path, *, told: str) -> float:
    """Drop a file in and wait for what is said of it; longest time that another visitor waited meanwhile."""
    said = one.page.locator("[data-testid=stAlert]", has_text=told)
    one.page.locator(UPLOADER).set_input_files([file])
    longest = 0.0
    while True:
        box = other.key("measure").get_by_role("combobox")
        began = perf_counter()
        box.click()
        wanted = "AP" if box.input_value() == "nDCG" else "nDCG"
        other.act(other.page.get_by_role("option", name=wanted, exact=True).click)
        longest = max(longest, perf_counter() - began)
        if said.count():
            return longest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told", "most"),
    [
        ("large.run", "large.run has 300 MB; the upload limit is 200 MB", 800),  # MB: twice the file and some more
        ("bomb.run.gz", "bomb.run.gz, line 1: the line has more than", 1500),  # what is unpacked at most, and more
    ],
)
def test_a_large_file_and_a_small_one_that_unpacks_to_5_gb_are_refused_while_another_visitor_works_on(
    new_board: Callable[..., Board], alone: Dashboard, tmp_path: Path, name: str, told: str, most: int
) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        if name == "large.run":
            file.truncate(300 * MEBI)
        else:
            file.write(gzip.compress(bytes(64 * MEBI)) * 80)
    one, other = new_board(at=alone.address).open("data"), new_board(at=alone.address).open()
    before = forget_peak(alone)
    assert drop_while_another_works(one, other, path, told=told) < PATIENCE
    assert megabytes(alone, "VmHWM") < before + most
    assert held_uploads(alone) == 0
    assert "the sample is still shown" in one.text(), "what was loaded is still there"


def test_names_are_text_on_every_page_and_in_what_is_taken_away(board: Board, tmp_path: Path) -> None:
    names = [
        "<img src=x onerror=hit()>",
        "![x](https://outside.example/a.png)",
        "$x^2$ :red[a]",
        "</script><script>hit()",
        "www.outside.example",
    ]
    rows = "".join(f"q{q},d{d},{d % 2},{d % 3},{d},{d * q % 4},1\n" for q in range(1, 5) for d in range(4))
    table = tmp_path / "<b onclick=hit()>b.csv"
    table.write_text(f"query_id,doc_id,{','.join(names)}\n{rows}")
    (tmp_path / "qrels.txt").write_text(QRELS.replace("q1", "<i>q1"))
    refused = tmp_path / "![x](bad) *b*.run"
    refused.write_text("q1 Q0 d1 1 oops tag\n")
    board.page.add_init_script("window.hit = () => { window.wasHit = true; }")
    board.open("data")
    board.drop([table, tmp_path / "qrels.txt", refused])
    assert refused.name in board.text()
    for page in ("Pairs", "Cut-offs", "Queries", "Ties", "Ranking"):
        board.visit(page)
        board.page.locator(".js-plotly-plot, .leaderboard, .stDataFrame").first.wait_for()
        harmful = "img[src=x], img[src*=outside], i:not([class]), b[onclick], a[href*=outside]"
        assert board.page.locator(f"[data-testid=stMain] :is({harmful})").count() == 0
        assert not board.page.evaluate("window.wasHit")
        assert not re.search(r"NaN|undefined|\[object", board.text())
    assert any(name in board.page.locator(".answer").first.inner_text() for name in names)
    report = taken(board, unfolded(board, "ranking"), "Report (HTML)", tmp_path)
    alone = Board(board.page.context.new_page(), "file:")
    alone.page.add_init_script("window.hit = () => { window.wasHit = true; }")
    alone.page.goto(report.as_uri())
    assert names[0] in alone.page.inner_text("body")
    assert alone.page.locator(":is(img[src=x], b[onclick], a[href*=outside])").count() == 0
    assert not alone.page.evaluate("window.wasHit")
    assert alone.outside == []
