#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the times of calls in Python with those of the same calls in C.

Also compares the time of an import with that of an empty program.

  PYTHONPATH=build/release/python python3 bench/python_calls.py \\
      build/release/src/c/libstowage.so

The C function is called through ctypes. The cost of ctypes itself is measured
by a call that does nothing, and is subtracted. Rounds of C and of Python
alternate, and the fastest round of each counts. Rounds are short, so that even
on a busy machine some rounds are not interrupted.
"""

from __future__ import annotations

import array
import ctypes
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from typing import Callable

import stowage

STRATEGY = "greedy_by_size"


def records(count: int) -> list[tuple[int, int, int]]:
    """Return records like those of a network: most live for a few tasks."""
    numbers = random.Random(1)
    return [(64 * numbers.randrange(1, 4096), task,
             task + numbers.choice((1, 1, 1, 2, 8)))
            for task in range(count)]


def microseconds(calls: list[Callable[[], object]], repeats: int,
                 rounds: int) -> list[float]:
    """Return the shortest time of each call, in microseconds."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            best[i] = min(best[i], (time.perf_counter() - start) / repeats)
    return [1e6 * seconds for seconds in best]


def milliseconds(program: str, environment: dict[str, str]) -> float:
    """Return the CPU time of a Python program in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], env=environment,
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime
                  + after.ru_stime - before.ru_stime)


def print_imports() -> None:
    """Print a row for each program. The modules are compiled in advance."""
    programs = ["pass", "import stowage",
                "import stowage; stowage.plan([(1, 0, 0)])"]
    best = [float("inf")] * len(programs)
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        milliseconds(programs[-1], environment)  # writes the compiled modules
        for _ in range(15):
            for i, program in enumerate(programs):
                best[i] = min(best[i], milliseconds(program, environment))
    print("| program | ms | more than the empty one, ms | ratio |")
    print("|---|--:|--:|--:|")
    for program, found in zip(programs, best):
        print(f"| `{program}` | {found:.1f} | {found - best[0]:.1f} | "
              f"{found / best[0]:.2f} |")
    print()


def main() -> None:
    """Print a row for each program, and for each number of records."""
    print_imports()
    library = ctypes.CDLL(sys.argv[1])
    library.stowage_assign_offsets.argtypes = [
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64, ctypes.c_char_p,
        ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    print("| records | C, us | ctypes, us | Python, array | Python, list | "
          "array over C | list over C |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for count in (100, 1000, 10000):
        rows = records(count)
        flat = array.array("Q", [number for row in rows for number in row])
        matrix = memoryview(flat).cast("B").cast("Q", [count, 3])
        offsets = (ctypes.c_uint64 * count)()
        total = ctypes.c_uint64()
        at, _ = flat.buffer_info()

        def assign(size: int) -> int:
            code: int = library.stowage_assign_offsets(
                at, size, 64, STRATEGY.encode(), ctypes.addressof(offsets),
                ctypes.addressof(total), None)
            return code
        assert assign(count) == 0
        plan = stowage.plan(matrix, STRATEGY, alignment=64)
        assert plan.offsets.tolist() == list(offsets)
        # An alignment of 0 is refused before the records are read.
        nothing, c, by_array, by_list = microseconds(
            [lambda: library.stowage_assign_offsets(at, 0, 0, None, None, None,
                                                    None),
             lambda: assign(count),
             lambda: stowage.plan(matrix, STRATEGY, alignment=64).offsets,
             lambda: stowage.plan(rows, STRATEGY, alignment=64).offsets],
            max(1, 2000 // count), max(15, 40000 // count))
        c -= nothing
        print(f"| {count} | {c:.1f} | {nothing:.1f} | {by_array:.1f} | "
              f"{by_list:.1f} | {by_array / c:.2f} | {by_list / c:.2f} |")


if __name__ == "__main__":
    main()
