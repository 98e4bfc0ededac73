# SPDX-License-Identifier: Apache-2.0
"""A planner for `stowage check-planner`, of the standard library alone.

  planner.py IN OUT   plans the trace IN and writes the plan OUT
  planner.py          serves: prints "ready", then answers one line for each
                      line IN<tab>OUT of its standard input
"""

import csv
import sys

DONE = 0
REFUSED = 1
UNSUPPORTED = 77


def read_trace(path):
    """Returns (id, lower, upper, size, alignment) of each record."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        column = {name: i for i, name in enumerate(next(rows))}
        alignment = column.get("alignment")
        return [
            (
                row[column["id"]],
                int(row[column["lower"]]),
                int(row[column["upper"]]),  # one past the last task
                int(row[column["size"]]),
                1 if alignment is None else int(row[alignment]),
            )
            for row in rows
        ]


def place(records):
    """Returns the offset of each record: the lowest that is free, in turn."""
    offsets = []
    placed = []  # (begin, end, lower, upper)
    for _, lower, upper, size, alignment in records:
        offset = 0
        for begin, end, first, last in sorted(placed):
            if first >= upper or lower >= last or end <= offset:
                continue
            if begin >= offset + size:
                break
            offset = -(-end // alignment) * alignment
        offsets.append(offset)
        if size > 0:
            placed.append((offset, offset + size, lower, upper))
    return offsets


def plan(trace, answer):
    """Plans a trace; returns the exit code and a message."""
    if not trace.endswith(".csv"):
        return UNSUPPORTED, "no constraints are supported"
    records = read_trace(trace)
    offsets = place(records)
    if any(o + r[3] >= 1 << 64 for o, r in zip(offsets, records)):
        return REFUSED, "the arena passes 2^64 - 1 bytes"
    with open(answer, "w", encoding="utf-8") as file:
        file.write("id,offset\n")
        for record, offset in zip(records, offsets):
            file.write(f"{record[0]},{offset}\n")
    return DONE, ""


def serve():
    print("ready", flush=True)
    for line in sys.stdin:
        code, message = plan(*line.rstrip("\n").split("\t"))
        print(code, message, flush=True)  # one line, and not kept in a buffer


def main(arguments):
    if not arguments:
        serve()
        return DONE
    code, message = plan(*arguments)
    if message:
        print(message, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
