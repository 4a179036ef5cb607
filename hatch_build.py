"""Compiles tiecore/kernel/kernel.c when a wheel or an editable install is made, where there is a C compiler.

Without one, or if it fails, the package is what it is without the library: the same, and slower with large files.
``CC`` names another compiler than cc; ``TIECORE_KERNEL=off`` builds without the library.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a script, which needs the compiler alone
    BuildHookInterface = object  # type: ignore[assignment, misc]

KERNEL = Path("tiecore", "kernel")
BUILT = KERNEL / "_kernel.so"
LONGEST = 120  # seconds
OLDEST_GLIBC = 17  # of version 2: manylinux2014, the oldest that registries and tools still know


def compile_kernel(root: Path) -> bool:
    """Compile the library beside its source; return whether it is there."""
    built = root / BUILT
    unfinished = built.with_suffix(f".{os.getpid()}")
    try:
        if _compiled(root, unfinished):
            unfinished.replace(built)  # at once, so that nobody loads half a library
            return True
        built.unlink(missing_ok=True)  # one of an older source
    except (OSError, subprocess.SubprocessError):  # no compiler, or a folder that cannot be written to
        pass
    finally:
        unfinished.unlink(missing_ok=True)
    return False


def _compiled(root: Path, output: Path) -> bool:
    """Run the compiler, unless it is switched off or missing."""
    compiler = shlex.split(os.environ.get("CC") or "cc")
    if os.environ.get("TIECORE_KERNEL") == "off" or shutil.which(compiler[0]) is None:
        return False
    made_from = f"{zlib.crc32((root / KERNEL / 'kernel.c').read_bytes()):08x}"
    # sums as NumPy makes them: no product is rounded together with a sum
    options = ("-O2", "-ffp-contract=off", "-std=gnu11", "-fPIC", "-shared", "-s", f'-DTIECORE_SOURCE="{made_from}"')
    command = [*compiler, *options, "-o", output.name, "kernel.c"]
    ended = subprocess.run(
        command, cwd=root / KERNEL, capture_output=True, check=False, timeout=LONGEST, stdin=subprocess.DEVNULL
    )
    return ended.returncode == 0


def platform_of(library: bytes) -> str:
    """Return where a wheel with this library runs, by a name that package registries take.

    The library needs nothing but the C library, so the newest version of glibc that it asks for decides, as in
    auditwheel. Where the C library is another one, the name is that of the machine.
    """
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    versions = [int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)", library)]
    return platform.replace("linux", f"manylinux_2_{max(OLDEST_GLIBC, *versions)}", 1) if versions else platform


class KernelBuildHook(BuildHookInterface):  # type: ignore[type-arg, unused-ignore]  # typed where hatchling is there
    """Adds the library to wheels, which then are for the machine that made them."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and mark a wheel that holds the library as one of this platform."""
        if self.target_name == "wheel" and compile_kernel(Path(self.root)) and version != "editable":
            build_data["artifacts"].append(f"/{BUILT.as_posix()}")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform_of(Path(self.root, BUILT).read_bytes())}"


if __name__ == "__main__":
    sys.exit(not compile_kernel(Path(__file__).parent))
