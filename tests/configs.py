"""A config of ours with what a user may set in it."""

import json
from pathlib import Path
from typing import Any, Dict

import _jsonnet


def evaluated(path: Path, body: str = "{}", **fields: Any) -> Dict[str, Any]:
    """
    The config at `path` with the hidden `fields`, then the jsonnet of `body`, added. A `treebank` among the fields is
    also what `std.extVar('TREEBANK')` gives.
    """
    settings = ", ".join(f"{name}:: {json.dumps(value)}" for name, value in fields.items())
    snippet = f"(import {json.dumps(str(path))}) + {{ {settings} }} + {body}"
    ext_vars = {"TREEBANK": fields["treebank"]} if "treebank" in fields else {}
    return json.loads(_jsonnet.evaluate_snippet("user's", snippet, ext_vars=ext_vars))
