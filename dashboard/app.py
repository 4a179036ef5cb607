"""The dashboard: ``streamlit run dashboard/app.py``, or ``tiecore dashboard``, which also takes files.

Streamlit reads the settings and limits that lie beside this file, in ``.streamlit/config.toml``.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
sys.path += [
    str(folder) for name, folder in (("tiecore_dashboard", HERE), ("tiecore", HERE.parent)) if not find_spec(name)
]

from tiecore_dashboard.app.server import MIDDLEWARE, ROUTES, SCRIPT, loaded  # noqa: E402  # a checkout need not be installed

app = st.App(SCRIPT, routes=ROUTES, middleware=MIDDLEWARE, lifespan=loaded)
