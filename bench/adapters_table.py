#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plans of ExecuTorch and tinygrad with those of our adapters.

    adapters_table.py [--all]

For our traces and for generated graphs, prints the sizes of both plans and the
lower bound, in bytes. The hosts are the checkouts in $STOWAGE_CHECKOUTS, or
else our models of their planners (tests/adapters). The Python package
`stowage` must be importable. A row in which the adapter's plan is not smaller
is printed only with --all. The sums, and the number of graphs for which the
adapter's plan is smaller, include all rows. The last two columns are times in
milliseconds: the time of the host alone, and the time of the adapter, which
runs the host first.
"""

import argparse
import pathlib
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[1]
for folder in ("tests/adapters", "src/adapters/executorch",
               "src/adapters/tinygrad"):
    sys.path.insert(0, str(ROOT / folder))

# pylint: disable=wrong-import-position
import executorch_host  # noqa: E402
import stowage  # noqa: E402
import stowage_executorch  # noqa: E402
import stowage_tinygrad  # noqa: E402
import tinygrad_host  # noqa: E402

GENERATED = 20
COLUMNS = "{:42} {:>14} {:>14} {:>14} {:>7} {:>9} {:>9}"


def bytes_live(records, unit):
    """Returns the maximum number of live bytes at any task.

    Each size is rounded up to a multiple of `unit`.
    """
    return max((sum(-(-size // unit) * unit for size, first, last in records
                    if first <= task <= last)
                for _, task, _ in records), default=0)


def timed(function):
    """Returns the result, and the time of the fastest of three calls in ms."""
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - begin)
    return result, best * 1e3


def executorch_row(host, make_specs):
    """Returns host, adapter and bound in bytes, and both times."""
    ours = stowage_executorch.planner(host=host.greedy)

    def size(algorithm):
        result = algorithm(16, make_specs(), executorch_host.Graph(), None, 0)
        return sum(result.bufsizes)

    records = [(spec.nbytes, *spec.lifetime) for spec in make_specs()]
    host_size, host_time = timed(lambda: size(host.greedy))
    our_size, our_time = timed(lambda: size(ours))
    return host_size, our_size, bytes_live(records, 16), host_time, our_time


def tinygrad_row(host, make_graph):
    """Returns host, adapter and bound in bytes, and both times."""
    linear, held = make_graph()
    ours = stowage_tinygrad.wrap(host.memory_plan_rewrite)

    def size(planned):
        """Returns the sum of the sizes of the arenas in a plan."""
        if planned is linear:
            return 0
        return sum(arena.max_numel() for arena in
                   stowage_tinygrad._lanes(linear, planned))

    theirs, host_time = timed(lambda: host.memory_plan_rewrite(linear, held))
    mine, our_time = timed(lambda: ours(linear, held))
    bound = 0 if theirs is linear else sum(
        bytes_live([(b.nbytes, *b.lifetime()) for b in buffers],
                   tinygrad_host.BLOCK)
        for buffers in stowage_tinygrad._lanes(linear, theirs).values())
    return size(theirs), size(mine), bound, host_time, our_time


def graph_of(host, records):
    """Returns a tinygrad graph with buffers that have the given lifetimes."""
    held = host.buffer(64)
    buffers = [host.buffer(size) for size, _, _ in records]
    tasks = max(last for _, _, last in records) + 1
    calls = [[held] for _ in range(tasks)]
    for buffer, (_, first, last) in zip(buffers, records):
        calls[first].append(buffer)
        if last != first:
            calls[last].append(buffer)
    return host.linear([host.call(nodes) for nodes in calls]), {held}


def traces():
    """Returns the names and the records of our traces."""
    for path in sorted((ROOT / "data" / "traces").glob("*.csv")):
        rows = stowage.read(path).records.tolist()
        yield path.stem, [row for row in rows if row[0] > 0]


def print_table(title, rows, show_all):
    print(f"\n{title}")
    print(COLUMNS.format("graph", "host", "adapter", "bound", "above",
                         "host ms", "ours ms"))
    sums, smaller, count = [0] * 5, 0, 0
    for name, numbers in rows:
        host, ours, bound, host_time, our_time = numbers
        assert bound <= ours <= host, name
        sums = [a + b for a, b in zip(sums, numbers)]
        smaller += ours < host
        count += 1
        if show_all or ours < host:
            print(line(name, host, ours, bound, host_time, our_time))
    print(line(f"all {count}; {smaller} are smaller", *sums))


def line(name, host, ours, bound, host_time, our_time):
    above = (ours / bound - 1) * 100 if bound else 0
    return COLUMNS.format(name, f"{host:,}", f"{ours:,}", f"{bound:,}",
                          f"{above:.2f} %", f"{host_time:.2f}",
                          f"{our_time:.2f}")


def executorch_rows(host):
    for name, records in traces():
        yield name, executorch_row(host, lambda r=records: [
            executorch_host.Spec(*record) for record in r])
    for seed in range(GENERATED):
        yield f"generated, 100 tensors, seed {seed}", executorch_row(
            host, lambda s=seed: executorch_host.random_specs(s, 100))


def tinygrad_rows(host):
    for name, records in traces():
        yield name, tinygrad_row(host, lambda r=records: graph_of(host, r))
    for seed in range(GENERATED):
        yield f"generated, 100 calls, seed {seed}", tinygrad_row(
            host, lambda s=seed: tinygrad_host.random_graph(
                host, s, 100, devices=("NULL", "NULL:1")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true",
                        help="print the rows without a difference as well")
    show_all = parser.parse_args().all
    warnings.simplefilter("error")
    checkout = executorch_host.load_checkout()
    print_table("ExecuTorch, greedy" + ("" if checkout else ": our model"),
                executorch_rows(checkout or executorch_host.MODEL), show_all)
    checkout = tinygrad_host.load_checkout()
    print_table("tinygrad" + ("" if checkout else ": our model"),
                tinygrad_rows(checkout or tinygrad_host.Model), show_all)


if __name__ == "__main__":
    main()
