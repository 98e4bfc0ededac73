# SPDX-License-Identifier: Apache-2.0
"""Tests the planner of planner.py in one process, by the Python package."""

import planner
import stowage.testing


def plan(problem):
    """Returns the offsets of a stowage.Problem, whose tasks are inclusive."""
    rows = zip(problem.rows(), problem.alignments)
    return planner.place([
        (str(i), first, last + 1, size, alignment)
        for i, ((size, first, last), alignment) in enumerate(rows)
    ])


if __name__ == "__main__":
    report = stowage.testing.check(plan, large_size=0)
    print(f"no failure in {report.samples} problems, {report.runs} runs")
