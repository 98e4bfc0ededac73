#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans every trace of a folder, and says how good the plans are.

  PYTHONPATH=build/release/python python3 plan_trace.py data/traces
"""

from __future__ import annotations

import pathlib
import sys

import stowage


def largest_first(problem: stowage.Problem) -> list[int]:
    """Place records by decreasing size, each at the lowest free offset."""
    rows = problem.rows()
    alignments = problem.alignments.tolist()
    offsets = [0] * len(rows)
    placed: list[int] = []
    for i in sorted(range(len(rows)), key=lambda i: -rows[i][0]):
        size, first, last = rows[i]
        offset = 0
        for j in sorted(placed, key=lambda j: offsets[j]):
            other, begin, end = rows[j]
            apart = last < begin or end < first
            if apart or offsets[j] + other <= offset:
                continue
            if offsets[j] >= offset + size:
                break
            offset = -(-(offsets[j] + other) // alignments[i]) * alignments[i]
        offsets[i] = offset
        placed.append(i)
    return offsets


def main() -> None:
    """Print a line for each trace."""
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.csv")):
        problem = stowage.read(path)
        mine, best = (problem.plan(largest_first), problem.plan())
        print(f"{path.stem}: {problem.bound.bytes} bytes at least, "
              f"{best.total_size} by {best.strategy}, "
              f"{mine.total_size} by {mine.strategy}")


if __name__ == "__main__":
    main()
