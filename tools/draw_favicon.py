"""Draws the favicon: a tie group, a range with its central part and a dot, as in the signature chart.

Run it by hand after a change: ``python tools/draw_favicon.py``. It writes the PNG with the standard library alone.
"""

import struct
import zlib
from pathlib import Path

SIZE = 64
GROUND, RANGE, CENTRAL, DOT = (0, 72, 120), (126, 190, 230), (255, 255, 255), (230, 159, 0)
ROWS = ((18, 8, 40, 14, 30), (32, 16, 56, 26, 46), (46, 10, 34, 16, 26))
"""Middle of a row, its range from and to, its central part from and to."""
DOTS = ((22, 18), (38, 32), (21, 46))


def colour(x: float, y: float) -> tuple[int, int, int, int]:
    """Colour at a point."""
    corner = 12
    dx, dy = max(corner - x, x - (SIZE - corner), 0), max(corner - y, y - (SIZE - corner), 0)
    if dx * dx + dy * dy > corner * corner:
        return (*GROUND, 0)
    for cx, cy in DOTS:
        if (x - cx) ** 2 + (y - cy) ** 2 <= 5.2**2:
            return (*DOT, 255)
    for middle, left, right, inner_left, inner_right in ROWS:
        if abs(y - middle) <= 2.4 and inner_left <= x <= inner_right:
            return (*CENTRAL, 255)
        if abs(y - middle) <= 4.6 and left <= x <= right:
            return (*RANGE, 255)
    return (*GROUND, 255)


def pixel(column: int, row: int, grid: int = 4) -> bytes:
    """Average of a pixel over a small grid, so that edges are smooth."""
    shades = [colour(column + (i + 0.5) / grid, row + (j + 0.5) / grid) for i in range(grid) for j in range(grid)]
    opaque = sum(shade[3] for shade in shades)
    mixed = [round(sum(shade[c] * shade[3] for shade in shades) / max(1, opaque)) for c in range(3)]
    return bytes([*mixed, round(opaque / len(shades))])


def chunk(kind: bytes, data: bytes) -> bytes:
    """One chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png() -> bytes:
    """The picture as a file."""
    lines = b"".join(b"\0" + b"".join(pixel(column, row) for column in range(SIZE)) for row in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    (Path(__file__).parent.parent / "dashboard" / "tiecore_dashboard" / "ui" / "assets" / "favicon.png").write_bytes(
        png()
    )
