# SPDX-License-Identifier: Apache-2.0
"""Plans the buffers of tinygrad with Stowage.

    import stowage_tinygrad

    stowage_tinygrad.install()

From then on, tinygrad's planner still plans the buffers of every schedule and
of every captured JIT first. If Stowage finds a smaller plan of an arena, this
plan replaces tinygrad's, so no arena becomes larger. If Stowage cannot express
a schedule or an arena, tinygrad's plan is kept.

An unsafe plan of tinygrad is never returned. It is reported as an
`UnsafeHostPlan` with the two buffers.

tinygrad is not imported until `install()` is called. README.md documents the
contract of the host and its pitfalls.
"""

from __future__ import annotations

import functools
import importlib
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import stowage

__all__ = ["UnsafeHostPlan", "UnsafePlan", "install", "uninstall", "wrap"]

# Node is tinygrad's UOp. Its class is not imported, so that this file can be
# read and tested without it.
Node = Any
Rewrite = Callable[..., Node]

# The module that defines the planner, followed by the modules that import the
# planner by its name.
MODULES = ("tinygrad.schedule.memory", "tinygrad.schedule",
           "tinygrad.engine.jit")
NAME = "memory_plan_rewrite"
# Sizes and offsets are multiples of BLOCK bytes.
BLOCK = 256
# Bytes and tasks must be below this number: Stowage stores them in 64 bits and
# reserves the largest 64-bit number.
LIMIT = 2**64 - 1

_logger = logging.getLogger("stowage.tinygrad")


class Buffer:
    """A buffer that the host has planned."""

    def __init__(self, node: Node, view: Node, call: int) -> None:
        self.node = node
        self.view = view  # the node that replaces `node` in the host's plan
        self.first_call = call
        self.last_call = call
        self.is_copied = False
        self.nbytes: int = node.max_numel() * node.dtype.itemsize
        self.arena, self.offset = _place(view)

    def lifetime(self) -> tuple[int, int]:
        """Returns the first and the last call of the lifetime, inclusive.

        Only this function translates lifetimes. The host keeps a buffer from
        its first call to its last call. If the buffer is copied from or to,
        the host keeps it twice as long, so that copies wait less for each
        other.
        """
        calls = self.last_call - self.first_call + 1
        return (self.first_call,
                self.last_call + (calls if self.is_copied else 0))

    def size(self) -> int:
        return -(-self.nbytes // BLOCK) * BLOCK

    def __repr__(self) -> str:
        return f"a buffer of {self.nbytes} bytes with lifetime " + str(
            list(self.lifetime()))


class Conflict:
    """Two buffers that are live at the same time and share bytes.

    `second` is None if `first` ends beyond the end of its arena. Both are nodes
    of the graph before planning.
    """

    def __init__(self, first: Node, second: Node | None, text: str) -> None:
        self.first = first
        self.second = second
        self.text = text

    def __str__(self) -> str:
        return self.text


class UnsafeHostPlan(UserWarning):
    """The host's plan is unsafe, so a plan of Stowage was returned instead."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(
            f"the host's plan: {conflict}; expected buffers that are live at "
            "the same time to be apart; the plan was replaced")
        self.conflict = conflict


class UnsafePlan(RuntimeError):
    """The host's plan is unsafe, and Stowage has no plan to replace it."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(
            f"the host's plan: {conflict}; expected buffers that are live at "
            "the same time to be apart; no other plan was found")
        self.conflict = conflict


class _Unknown(Exception):
    """The host's plan has a form that this adapter does not know."""


def install(strategy: str = "skyline", **options: Any) -> None:
    """Replaces the planner of tinygrad by the function that `wrap()` returns.

    The arguments are those of `wrap()`. A second call replaces the strategy
    and the options. Only MODULES are changed: any other module that has
    imported the planner by its name still calls tinygrad's planner.
    """
    modules = [importlib.import_module(name) for name in MODULES]
    host = getattr(modules[0], NAME)
    ours = wrap(getattr(host, "stowage_host", host), strategy, **options)
    for module in modules:
        if getattr(module, NAME, None) is host:
            setattr(module, NAME, ours)


def uninstall() -> None:
    """Restores tinygrad's own planner."""
    modules = [importlib.import_module(name) for name in MODULES]
    ours = getattr(modules[0], NAME)
    for module in modules:
        if getattr(module, NAME, None) is ours:
            setattr(module, NAME, getattr(ours, "stowage_host", ours))


def wrap(host: Rewrite, strategy: str = "skyline",
         **options: Any) -> Rewrite:
    """Returns a function that makes plans at least as small as `host` does.

    Parameters
    ----------
    host
        tinygrad's `memory_plan_rewrite`. Its errors are not caught.
    strategy
        The strategy of Stowage.
    options
        Options for `stowage.Problem.plan`, such as `time_limit`.
    """

    @functools.wraps(host)
    def memory_plan_rewrite(linear: Node, held_bufs: set[Node] | None = None
                            ) -> Node:
        planned = host(linear, held_bufs)
        if planned is linear:  # planning is switched off, or found no buffer
            return planned
        try:
            lanes = _lanes(linear, planned)
        except _Unknown as error:
            warnings.warn(f"tinygrad's plan: {error}; the host's plan was kept "
                          "without a check", RuntimeWarning, stacklevel=2)
            return planned
        views: dict[Node, Node] = {}
        is_better = False
        for arena, buffers in lanes.items():
            own = _improve_arena(arena, buffers, strategy, options)
            is_better = is_better or own is not None
            views.update(own or {b.node: b.view for b in buffers})
        if not is_better:
            return planned
        return linear.substitute(views, name="memory plan", walk=True)

    setattr(memory_plan_rewrite, "stowage_host", host)
    return memory_plan_rewrite


def _pairs(before: Node, after: Node) -> Iterator[tuple[Node, Node]]:
    """Yields each buffer of an argument before and after planning."""
    if before.op.name == "BUFFER":
        yield before, after
    elif before.op.name in ("MSELECT", "MSTACK"):
        if after.op is not before.op or len(after.src) != len(before.src):
            raise _Unknown("an argument of a call was rewritten")
        for old, new in zip(before.src, after.src):
            yield from _pairs(old, new)


def _place(view: Node) -> tuple[Node, int]:
    """Returns the arena of a view, and the offset of the view in bytes."""
    node = view.src[0] if view.op.name == "BITCAST" else view
    # A view of a whole arena is the arena itself.
    arena = node
    start: Any = 0
    if node.op.name == "SHRINK" and len(node.src) == 3:
        arena, start = node.src[0], getattr(node.src[1], "val", None)
    if arena.op.name != "BUFFER" or not isinstance(start, int):
        raise _Unknown("a buffer was not replaced by a view of another one")
    # The arena of a smaller plan gets the same type of elements, and its size
    # is counted in bytes.
    if arena.dtype.itemsize != 1:
        raise _Unknown(f"an arena has elements of {arena.dtype.itemsize} bytes;"
                       " expected elements of 1 byte")
    return arena, start


def _lanes(linear: Node, planned: Node) -> dict[Node, list[Buffer]]:
    """Returns the buffers that the host has planned, grouped by arena.

    The buffers of one device form two lanes: the buffers that are copied from
    or to, and all others. The host uses one arena for each lane.
    """
    buffers: dict[Node, Buffer] = {}
    if len(linear.src) != len(planned.src):
        raise _Unknown("the number of calls was changed")
    for call, (old, new) in enumerate(zip(linear.src, planned.src)):
        if len(old.src) != len(new.src):
            raise _Unknown("the number of arguments of a call was changed")
        for old_argument, new_argument in zip(old.src[1:], new.src[1:]):
            for node, view in _pairs(old_argument, new_argument):
                if view is node:  # The buffer is held, or is never planned.
                    continue
                if node not in buffers:
                    buffers[node] = Buffer(node, view, call)
                buffers[node].last_call = call
                if old.src[0].op.name == "COPY":
                    buffers[node].is_copied = True
    lanes: dict[Node, list[Buffer]] = {}
    keys: dict[Node, tuple[Any, bool]] = {}
    for buffer in buffers.values():
        lanes.setdefault(buffer.arena, []).append(buffer)
        key = (buffer.node.device, buffer.is_copied)
        if keys.setdefault(buffer.arena, key) != key:
            raise _Unknown("buffers of two lanes are in one arena")
    if len(set(keys.values())) != len(keys):
        raise _Unknown("a lane has two arenas")
    return lanes


def _find_conflict(buffers: list[Buffer], offsets: list[int],
                   end: int) -> Conflict | None:
    """Checks that buffers that are live at the same time share no byte.

    The check uses no code of Stowage, and can therefore also find errors in
    the translation to Stowage's problem.
    """
    live: list[tuple[int, Buffer]] = []
    for offset, buffer in sorted(zip(offsets, buffers),
                                 key=lambda pair: pair[1].first_call):
        if offset < 0 or offset + buffer.nbytes > end:
            return Conflict(buffer.node, None, f"{buffer!r} at offset {offset} "
                            f"ends beyond an arena of {end} bytes")
        first = buffer.first_call
        live = [pair for pair in live if pair[1].lifetime()[1] >= first]
        for other_offset, other in live:
            if (offset < other_offset + other.nbytes and
                    other_offset < offset + buffer.nbytes):
                return Conflict(
                    other.node, buffer.node,
                    f"{other!r} at offset {other_offset} shares bytes with "
                    f"{buffer!r} at offset {offset}")
        if buffer.nbytes > 0:
            live.append((offset, buffer))
    return None


def _improve_arena(arena: Node, buffers: list[Buffer], strategy: str,
                   options: dict[str, Any]) -> dict[Node, Node] | None:
    """Returns views of a smaller arena for the buffers of a lane, or None."""
    host_size = arena.max_numel()
    conflict = _find_conflict(buffers, [b.offset for b in buffers], host_size)
    if conflict is None and host_size == 0:
        return None
    if sum(buffer.size() for buffer in buffers) >= LIMIT:
        if conflict is not None:
            raise UnsafePlan(conflict)
        return None
    problem = stowage.Problem([(b.size(), *b.lifetime()) for b in buffers],
                              alignment=BLOCK)
    if conflict is None and host_size <= problem.bound.bytes:
        return None
    plan = problem.plan(strategy, **options)
    size, offsets = plan.total_size, list(plan.offsets)
    if conflict is None and size >= host_size:
        return None
    own_conflict = _find_conflict(buffers, offsets, size)
    if own_conflict is not None:
        if conflict is not None:
            raise UnsafePlan(conflict)
        warnings.warn(f"Stowage's plan: {own_conflict}; expected buffers that "
                      "are live at the same time to be apart; the host's plan "
                      "was kept", RuntimeWarning, stacklevel=3)
        return None
    if conflict is not None:
        warnings.warn(UnsafeHostPlan(conflict), stacklevel=3)
    _logger.info("%s: %d buffers, arena of %d bytes in place of %d",
                 arena.device, len(buffers), size, host_size)
    # The new arena may have the number of the host's arena, because nothing
    # refers to the host's arena yet.
    smaller = type(arena).new_buffer(arena.device, size, arena.dtype,
                                     num=arena.arg.slot)
    return {buffer.node: smaller[offset:offset + buffer.nbytes].bitcast(
                buffer.node.dtype)
            for buffer, offset in zip(buffers, offsets)}
