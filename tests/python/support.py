# SPDX-License-Identifier: Apache-2.0
"""Functions that several tests of the Python package share."""

from __future__ import annotations

import os
import pathlib
import random
import subprocess
import sys
from typing import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A longer test sets this variable to run more rounds.
THOROUGH = "STOWAGE_THOROUGH" in os.environ


Records = list[tuple[int, int, int]]


def hard_records(seed: int = 3, count: int = 200) -> Records:
    """Return records for which finding the smallest plan takes minutes."""
    numbers = random.Random(seed)
    pieces = [(0, count, 1000)]
    while len(pieces) < count:
        at = numbers.randrange(len(pieces))
        begin, end, size = pieces[at]
        if numbers.random() < 0.5 and end - begin > 1:
            middle = numbers.randrange(begin + 1, end)
            pieces[at] = (begin, middle, size)
            pieces.append((middle, end, size))
        elif size > 1:
            part = numbers.randrange(1, size)
            pieces[at] = (begin, end, part)
            pieces.append((begin, end, size - part))
    return [(size, begin, end - 1) for begin, end, size in pieces]


def random_records(seed: int, count: int) -> Records:
    """Return records with random sizes and lifetimes."""
    numbers = random.Random(seed)
    records = []
    for _ in range(count):
        first = numbers.randrange(count)
        records.append((numbers.randrange(1 << 20), first,
                        first + numbers.randrange(10)))
    return records


def run_python(program: str, *options: str) -> Iterator[str]:
    """Run a program in a new Python process, and return the printed lines."""
    done = subprocess.run([sys.executable, *options, "-c", program],
                          capture_output=True, text=True, timeout=120,
                          cwd=ROOT / "tests" / "python", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return iter(done.stdout.splitlines())
