# SPDX-License-Identifier: Apache-2.0
"""Pictures of plans, with tasks on the x axis and bytes on the y axis."""

from __future__ import annotations

from html import escape

from stowage._enums import Feature, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from stowage._plan import Plan

_WIDTH = 640
_HEIGHT = 320
# A picture of more records would be unreadable, and slow to render.
_MAX_RECORDS = 4000
# Colours that readers with color blindness can also distinguish.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
            "#f0e442", "#999999")


def boxes(plan: Plan) -> Optional[list[tuple[int, int, int, int]]]:
    """Return (first task, task count, lowest byte, size) for each record.

    Pools and shared objects are stacked on each other. The result is None if
    there is no plan, or if lifetimes depend on the order of the tasks.
    """
    problem = plan.problem
    if not plan.has_plan or Feature.PARTIAL_ORDER in problem.features or (
            plan._read_lists()[5] is not None):
        return None
    rows = problem.rows()
    if problem.kind is Kind.OBJECTS:
        starts = _stacked(plan.object_sizes.tolist())
        lowest = [starts[number] for number in plan.objects]
    else:
        lowest = plan.offsets.tolist()
        pools = plan._read_lists()[2]
        if pools is not None:
            sizes = [0] * problem.pool_count
            for row, offset, pool in zip(rows, lowest, pools):
                sizes[pool] = max(sizes[pool], offset + row[0])
            starts = _stacked(sizes)
            lowest = [at + starts[pool] for at, pool in zip(lowest, pools)]
    return [(first, last - first + 1, at, size)
            for (size, first, last), at in zip(rows, lowest)]


def _stacked(sizes: list[int]) -> list[int]:
    starts = [0]
    for size in sizes:
        starts.append(starts[-1] + size)
    return starts


def svg(plan: Plan) -> Optional[str]:
    """Return the SVG picture of a plan, or None if it cannot be drawn."""
    found = boxes(plan)
    if not found or len(found) > _MAX_RECORDS:
        return None
    start = min(first for first, _, _, _ in found)
    tasks = max(first + count for first, count, _, _ in found) - start
    top = max(at + size for _, _, at, size in found) or 1
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" '
             f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
             f'height="{_HEIGHT}" role="img"><title>'
             f"{escape(_shown(repr(plan)))}</title>"]
    for i, (name, (first, count, at, size)) in enumerate(
            zip(plan.problem.names, found)):
        x = _WIDTH * (first - start) / tasks
        y = _HEIGHT * (top - at - size) / top
        parts.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" '
            f'width="{_WIDTH * count / tasks:.2f}" '
            f'height="{_HEIGHT * size / top:.2f}" '
            f'fill="{_COLOURS[i % len(_COLOURS)]}" stroke="#fff" '
            f'stroke-width="0.5"><title>{escape(_shown(name))}: {size} bytes '
            f'at {at}, tasks {first} to {first + count - 1}</title></rect>')
    return "".join(parts) + "</svg>"


def _shown(text: str) -> str:
    """Replace each character that is not printable, for use in XML."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def html(plan: Plan) -> str:
    """Return HTML with a line of text and, if possible, a picture."""
    parts = [plan.status.value]
    if plan.has_plan:
        parts.append(f"{plan.total_size:,} bytes")
        parts.append(f"{plan.gap:,} bytes above the bound" if plan.gap
                     else "at the bound")
    return (f"<div><p><b>{escape(' · '.join(parts))}</b>: "
            f"{escape(_shown(plan.reason))}</p>{svg(plan) or ''}</div>")


def frame(plan: Plan) -> Any:
    """Return a DataFrame with a row for each record, including its place."""
    import pandas
    rows = plan.problem.rows()
    table: dict[str, Any] = {"name": list(plan.problem.names)}
    for column, name in enumerate(("size", "first_task", "last_task")):
        table[name] = pandas.array([row[column] for row in rows],
                                   dtype="uint64")
    _, offsets, pools, objects, *_ = plan._read_lists()
    for places, name in ((offsets, "offset"), (pools, "pool"),
                         (objects, "object")):
        if places is not None:
            table[name] = pandas.array(places.tolist(), dtype="uint64")
    return pandas.DataFrame(table)


def plot(plan: Plan, ax: Any) -> Any:
    """Draw a plan into Matplotlib axes, and return the axes."""
    found = boxes(plan)
    if found is None:
        from stowage._errors import Error
        raise Error("plot: no plan with lifetimes in a row; expected one")
    if ax is None:
        from matplotlib import pyplot
        ax = pyplot.subplots()[1]
    for i, (first, count, at, size) in enumerate(found):
        ax.broken_barh([(first, count)], (at, size),
                       facecolors=_COLOURS[i % len(_COLOURS)],
                       edgecolors="white", linewidth=0.5)
    ax.set_xlabel("task")
    ax.set_ylabel("bytes")
    ax.set_title(repr(plan)[1:-1])
    return ax
