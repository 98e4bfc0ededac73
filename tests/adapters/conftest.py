# SPDX-License-Identifier: Apache-2.0
"""Lets tests import the Python adapters from their source folders."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
for host in ("executorch", "tinygrad"):
    sys.path.insert(0, str(ROOT / "src" / "adapters" / host))
