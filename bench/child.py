"""A measured process: ``python -m bench.child MODULE.FUNCTION ARGUMENTS`` prints the outcome as its last line."""

from __future__ import annotations

import json
import sys
from importlib import import_module

__all__: list[str] = []


def _main(task: str, arguments: str) -> None:
    module, name = task.split(".")
    outcome = getattr(import_module(f"bench.tasks.{module}"), name)(**json.loads(arguments))
    print()
    print(json.dumps(outcome))


if __name__ == "__main__":
    _main(*sys.argv[1:])
