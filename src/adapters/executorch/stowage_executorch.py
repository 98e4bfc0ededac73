# SPDX-License-Identifier: Apache-2.0
"""Plans the memory of ExecuTorch programs with Stowage.

    import stowage_executorch

    config = ExecutorchBackendConfig(
        memory_planning_pass=MemoryPlanningPass(stowage_executorch.suite()))

The algorithm first runs ExecuTorch's own planner, by default `greedy`. It then
replaces the plan of each arena for which Stowage finds a smaller plan. The
result is therefore never larger than the host's. If Stowage cannot express an
arena, the host's plan of this arena is kept. Do not use the algorithm for
Vulkan: textures have no offsets, so Vulkan tensors share whole objects.

An unsafe plan of the host is never returned. It is reported as an
`UnsafeHostPlan` with the two tensors.

ExecuTorch is not imported until `suite()` or an algorithm needs it. README.md
documents the contract of the host and its pitfalls.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import stowage

__all__ = ["UnsafeHostPlan", "UnsafePlan", "planner", "suite"]

# Spec is ExecuTorch's TensorSpec, Result its MemoryAlgoResult. Their classes
# are not imported, so that this file can be read and tested without them.
Spec = Any
Result = Any
Algorithm = Callable[..., Result]

HOST = "executorch.exir.memory_planning"
# Bytes and tasks must be below this number: Stowage stores them in 64 bits and
# reserves the largest 64-bit number.
LIMIT = 2**64 - 1
# If the storage of some tensors is in other tensors, an arena must be smaller
# than this number of bytes.
STORAGE_LIMIT = 2**60


class Conflict:
    """Two tensors that are live at the same time and share bytes.

    `second` is None if `first` ends beyond the end of its arena.
    """

    def __init__(self, first: Spec, second: Spec | None, text: str) -> None:
        self.first = first
        self.second = second
        self.text = text

    def __str__(self) -> str:
        return self.text


class UnsafeHostPlan(UserWarning):
    """The host's plan is unsafe, so a plan of Stowage was returned instead."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(
            f"the host's plan: {conflict}; expected tensors that are live at "
            "the same time to be apart; the plan was replaced")
        self.conflict = conflict


class UnsafePlan(RuntimeError):
    """The host's plan is unsafe, and Stowage has no plan to replace it."""

    def __init__(self, conflict: Conflict) -> None:
        super().__init__(
            f"the host's plan: {conflict}; expected tensors that are live at "
            "the same time to be apart; no other plan was found")
        self.conflict = conflict


def suite(strategy: str = "skyline", **options: Any) -> Any:
    """Returns a `MemoryPlanningAlgorithmSuite` that has only `planner()`.

    Pass the suite to `MemoryPlanningPass(memory_planning_algo=...)`. The
    arguments are those of `planner()`.
    """
    module = importlib.import_module(HOST)
    return module.MemoryPlanningAlgorithmSuite([planner(strategy, **options)])


def planner(strategy: str = "skyline", *, host: Algorithm | None = None,
            **options: Any) -> Algorithm:
    """Returns an algorithm that a `MemoryPlanningAlgorithmSuite` can list.

    Parameters
    ----------
    strategy
        The strategy of Stowage.
    host
        The algorithm to run first. None means ExecuTorch's `greedy`. Errors of
        this algorithm are not caught.
    options
        Options for `stowage.Problem.plan`, such as `time_limit`.

    A suite identifies its algorithms by their names. The name of the returned
    algorithm therefore contains the strategy and the options.
    """

    def algorithm(alignment: int, specs: Iterable[Spec], graph_module: Any,
                  graph_signature: Any, extra_padding: int = 0) -> Result:
        # Copy this list, because some planners of the host change it, for
        # example `naive`.
        starts = list(getattr(graph_module, "input_mem_buffer_sizes", None)
                      or [])
        run_host = host or importlib.import_module(HOST).greedy
        result = run_host(alignment, specs, graph_module, graph_signature,
                          extra_padding)
        # Copy this list too, because it may belong to the graph module.
        result.bufsizes = list(result.bufsizes)
        arenas: dict[int, list[Spec]] = {}
        for spec, place in result.spec_dict.items():
            arenas.setdefault(place.mem_id, []).append(spec)
        for mem_id, members in arenas.items():
            start = starts[mem_id] if mem_id < len(starts) else 0
            _improve_arena(result, mem_id, members, start, alignment,
                           extra_padding, strategy, options)
        return result

    words = [strategy] + [f"{key}={value!r}" for key, value in options.items()]
    algorithm.__name__ = f"stowage({', '.join(words)})"
    return algorithm


def _lifetime(spec: Spec) -> tuple[int, int]:
    """Returns the first and the last task of a tensor, both inclusive.

    Only this function translates lifetimes. In ExecuTorch, lifetimes are
    numbers of nodes. Both ends are inclusive, as in Stowage.
    """
    first, last = spec.lifetime
    return first, last


def _storage(spec: Spec) -> tuple[Spec | None, int]:
    """Returns the tensor that contains `spec` and the offset of `spec` in it.

    The tensor is None if no tensor contains `spec`. Older versions of
    ExecuTorch have the field `inplace_base` instead of `storage_base`. Their
    offset is always 0.
    """
    base = getattr(spec, "storage_base", None)
    if base is None:
        return getattr(spec, "inplace_base", None), 0
    return base, getattr(spec, "storage_base_offset", 0)


def _roots(members: Sequence[Spec]) -> dict[Spec, tuple[Spec, int]]:
    """Returns the root of each tensor, and the offset of the tensor in it.

    The storage of a tensor may be in a second tensor, the storage of the
    second tensor in a third, and so on. The root is the last tensor of this
    chain that is in the arena.
    """
    known = set(members)
    roots: dict[Spec, tuple[Spec, int]] = {}
    for spec in members:
        root, at = spec, 0
        for _ in members:  # The limit stops the loop if the chain is a ring.
            base, offset = _storage(root)
            if base is None or base not in known:
                break
            root, at = base, at + offset
        roots[spec] = (root, at)
    return roots


def _is_expressible(members: Sequence[Spec],
                    roots: dict[Spec, tuple[Spec, int]], start: int,
                    alignment: int) -> bool:
    """Returns whether Stowage can plan an arena.

    If not, the host's plan of the arena is kept.
    """
    if alignment <= 0 or alignment & (alignment - 1) != 0:
        return False
    # Refuse chains of storage that form a ring, or whose last tensor is not in
    # this arena.
    if any(_storage(root)[0] is not None for root, _ in roots.values()):
        return False
    total = start
    for spec in members:
        size, at = spec.allocated_memory, roots[spec][1]
        if not all(isinstance(n, int) for n in (size, at, *spec.lifetime)):
            return False
        first, last = _lifetime(spec)
        # Sizes must be multiples of the alignment, because the host places
        # each tensor directly after another.
        if size < 0 or size % alignment != 0 or at < 0:
            return False
        if not 0 <= first <= last < LIMIT:
            return False
        total += size + at + alignment
    has_storage = any(root is not spec for spec, (root, _) in roots.items())
    return total < (STORAGE_LIMIT if has_storage else LIMIT)


def _find_conflict(mem_id: int, members: Sequence[Spec],
                   offsets: dict[Spec, int], end: int) -> Conflict | None:
    """Checks a plan of an arena by the rule of ExecuTorch's own verifier.

    Tensors may share bytes only if their lifetimes do not overlap, or if they
    are in the same chain of storage. The check uses no code of Stowage, and
    can therefore also find errors in the translation to Stowage's problem.
    """
    roots = _roots(members)
    # A tensor without a lifetime is always live.
    spans: list[tuple[int, int, int, Spec]] = []
    for spec in members:
        first, last = spec.lifetime
        if first is None or last is None:
            first, last = 0, LIMIT
        if first <= last and spec.allocated_memory > 0:
            spans.append((first, last, offsets[spec], spec))
    live: list[tuple[int, int, int, Spec]] = []
    for span in sorted(spans, key=lambda span: span[0]):
        first, _, offset, spec = span
        size = spec.allocated_memory
        if offset < 0 or offset + size > end:
            return Conflict(spec, None, _text(spec, offset) +
                            f" ends beyond arena {mem_id} of {end} bytes")
        live = [other for other in live if other[1] >= first]
        for _, _, other_offset, other in live:
            if (offset < other_offset + other.allocated_memory and
                    other_offset < offset + size and
                    roots[spec][0] is not roots[other][0]):
                return Conflict(other, spec, _text(other, other_offset) +
                                " shares bytes with " + _text(spec, offset))
        live.append(span)
    return None


def _text(spec: Spec, offset: int) -> str:
    return (f"a tensor of {spec.allocated_memory} bytes at offset {offset} "
            f"with lifetime {list(spec.lifetime)}")


def _problem(members: Sequence[Spec], roots: dict[Spec, tuple[Spec, int]],
             alignment: int) -> stowage.Problem:
    """Returns the problem of an arena, in the order of `members`.

    The tensors of a chain of storage form a group, so their distances are
    fixed. Only tensors at offset 0 of their root need an alignment.
    """
    index = {spec: i for i, spec in enumerate(members)}
    records = [(spec.allocated_memory, *_lifetime(spec)) for spec in members]
    groups: dict[Spec, dict[int, int]] = {}
    for spec in members:
        root, at = roots[spec]
        if spec is not root:
            groups.setdefault(root, {index[root]: 0})[index[spec]] = at
    alignments = [alignment if roots[spec][1] == 0 else 1 for spec in members]
    return stowage.Problem(records, alignment=alignments,
                           groups=list(groups.values()))


def _improve_arena(result: Result, mem_id: int, members: Sequence[Spec],
                   start: int, alignment: int, extra_padding: int,
                   strategy: str, options: dict[str, Any]) -> None:
    """Writes Stowage's plan of an arena to `result` if it is better.

    `start` is the first byte of the arena that the plan may use.
    """
    host_size = result.bufsizes[mem_id]
    conflict = _find_conflict(
        mem_id, members,
        {spec: result.spec_dict[spec].mem_offset for spec in members},
        host_size)
    roots = _roots(members)
    if not _is_expressible(members, roots, start, alignment):
        if conflict is not None:
            raise UnsafePlan(conflict)
        return
    problem = _problem(members, roots, alignment)
    padding = start + extra_padding
    if conflict is None and host_size <= problem.bound.bytes + padding:
        return
    plan = problem.plan(strategy, **options)
    size = plan.total_size + padding
    if conflict is None and size >= host_size:
        return
    offsets = {spec: start + offset
               for spec, offset in zip(members, plan.offsets)}
    own_conflict = _find_conflict(mem_id, members, offsets, size)
    if own_conflict is not None:
        if conflict is not None:
            raise UnsafePlan(conflict)
        warnings.warn(f"Stowage's plan: {own_conflict}; expected tensors that "
                      "are live at the same time to be apart; the host's plan "
                      "was kept", RuntimeWarning, stacklevel=4)
        return
    if conflict is not None:
        warnings.warn(UnsafeHostPlan(conflict), stacklevel=4)
    numbers = _object_ids(members, offsets, roots)
    for spec in members:
        place = result.spec_dict[spec]
        place.mem_offset = offsets[spec]
        place.mem_obj_id = numbers[spec]
    result.bufsizes[mem_id] = size


def _object_ids(members: Sequence[Spec], offsets: dict[Spec, int],
                roots: dict[Spec, tuple[Spec, int]]) -> dict[Spec, int]:
    """Numbers the objects, which are byte ranges, in the order of offsets.

    ExecuTorch requires that two tensors of an arena have the same number if
    their bytes overlap, whatever their lifetimes are, or if one is the storage
    of the other.
    """
    # The range of bytes that each chain of storage covers.
    extents: dict[Spec, list[int]] = {}
    for spec in members:
        offset = offsets[spec]
        extent = extents.setdefault(roots[spec][0], [offset, offset])
        extent[0] = min(extent[0], offset)
        extent[1] = max(extent[1], offset + spec.allocated_memory)
    numbers: dict[Spec, int] = {}
    number, end = -1, -1
    for root, extent in sorted(extents.items(), key=lambda item: item[1]):
        if extent[0] >= end:
            number += 1
        end = max(end, extent[1])
        numbers[root] = number
    return {spec: numbers[roots[spec][0]] for spec in members}
