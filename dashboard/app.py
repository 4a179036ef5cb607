"""The dashboard: ``streamlit run dashboard/app.py``, or ``tiecore dashboard``, which also takes files.

Streamlit reads the settings and limits that lie beside this file, in ``.streamlit/config.toml``.
"""

import ctypes
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

M_ARENA_MAX = -8  # as in malloc.h
HERE = Path(__file__).parent
sys.path += [
    str(folder) for name, folder in (("tiecore_dashboard", HERE), ("tiecore", HERE.parent)) if not find_spec(name)
]
# Each interaction runs in a new thread; by default Arrow and glibc keep the memory that each thread has freed.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
if "MALLOC_ARENA_MAX" not in os.environ:
    with suppress(AttributeError, TypeError):  # of glibc alone
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)

from tiecore_dashboard.app.server import MIDDLEWARE, ROUTES, SCRIPT, loaded  # noqa: E402  # a checkout need not be installed

app = st.App(SCRIPT, routes=ROUTES, middleware=MIDDLEWARE, lifespan=loaded)
