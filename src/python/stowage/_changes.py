# SPDX-License-Identifier: Apache-2.0
"""Plans for problems that change: replanning, one problem for several shapes,
and a cache of plans.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from stowage import _native
from stowage._errors import Error
from stowage._plan import Plan, plan_of
from stowage._problem import Problem
from stowage._records import size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Optional, Union

    from stowage._types import Path


@dataclass(frozen=True)
class Replanned:
    """A plan of a changed problem, and what differs from the previous plan."""

    plan: Plan
    # Says whether the previous plan, with its arena, was still a plan.
    was_valid: bool
    moved_bytes: int  # the sum of the new sizes of the records in `moved`
    moved: tuple[int, ...]  # the records at new places, in rising order


@dataclass(frozen=True)
class CacheStats:
    """Counters of a cache since it was created."""

    plans: int  # plans that are in the cache now
    bytes: int  # the memory that these plans take
    hits: int  # calls that found a plan
    misses: int  # calls that found no plan
    evicted: int  # plans that were removed because memory was short
    refused: int  # plans of damaged files that were removed as unsafe


def _handle_of(problem: Problem, place: str = "problem"
               ) -> _native.ProblemHandle:
    if not isinstance(problem, Problem):
        raise Error(f"{place}: {type(problem).__name__}; expected a Problem")
    return problem._handle


def _check_name(strategy: Optional[str]) -> None:
    if strategy is not None and not isinstance(strategy, str):
        raise Error(f"strategy: {strategy!r}; expected a name")


def replan(problem: Problem, previous: Plan, *, movable: Any = None,
           cost_per_moved_byte: int = 0, strategy: Optional[str] = None,
           time_limit: Optional[float] = 0.1,
           node_budget: Optional[int] = None, seed: int = 1, threads: int = 1
           ) -> Replanned:
    """Plan a problem of offsets whose records have changed.

    Keeps the offsets that are still possible, and moves the other records to
    the lowest gaps. If this does not suffice, for example because the arena
    becomes larger, runs a search.

    Parameters
    ----------
    problem
        The problem after the change. It must have as many records as that of
        `previous`, in the same order, but their sizes, intervals and alignments
        may differ.
    previous
        A plan of the problem before the change.
    movable
        The indices of the records that may move. None means all records.
    cost_per_moved_byte
        The cost of moving one byte, in bytes of the arena. A plan that a search
        finds is used only if it is smaller by more than the cost of the bytes
        that it moves in addition.
    strategy, time_limit, node_budget, seed, threads
        The name and the limits of the search, as for :meth:`Problem.plan`.

    Examples
    --------
    >>> import stowage
    >>> before = stowage.plan([(64, 0, 1), (64, 1, 2), (64, 2, 3)])
    >>> longer = stowage.Problem([(64, 0, 1), (64, 1, 2), (32, 2, 3)])
    >>> found = stowage.replan(longer, before)
    >>> found.was_valid, found.moved, found.plan.offsets.tolist()
    (True, (), [0, 64, 0])

    Raises
    ------
    Error
        If the numbers of records differ, or a record in `movable` does not
        exist or would have to stay where it cannot.
    """
    _check_name(strategy)
    if not isinstance(previous, Plan):
        raise Error(f"previous: {type(previous).__name__}; expected a Plan, "
                    "which problem.incumbent() makes of offsets")
    handle, was_valid, moved_bytes, moved = _native.replan(
        _handle_of(problem), strategy, 0, time_limit, node_budget, seed, threads,
        False, False, None, None, previous._held("previous: "), movable,
        cost_per_moved_byte)
    return Replanned(plan_of(problem, handle), bool(was_valid), moved_bytes,
                     tuple(moved))


def problem_for_all(problems: Iterable[Problem]) -> Problem:
    """Return a problem whose plans are safe for each of several problems.

    The problems have the same number of records, such as those of one network
    with inputs of several shapes. In the new problem, a record has the largest
    size and alignment that it has in any of them, and is live from its earliest
    first task to its latest last task. The capacity is the lowest of all, and
    the names are those of the first problem.

    Examples
    --------
    >>> import stowage
    >>> shapes = [stowage.Problem([(64 * n, 0, 1), (4096 // n, 1, 2)])
    ...           for n in (1, 2, 16)]
    >>> plan = stowage.problem_for_all(shapes).plan()
    >>> plan.total_size, [shape.verify(plan.offsets) for shape in shapes]
    (5120, [None, None, None])

    Raises
    ------
    Error
        If the problems differ in the number of records or in the kind of plan,
        if a record is fixed at different offsets, or if a problem has
        constraints other than fixed offsets.
    """
    shapes = tuple(problems)
    joined = Problem._of_handle(_native.problem_for_all(tuple(
        _handle_of(shape, f"problems[{index}]")
        for index, shape in enumerate(shapes))))
    # Unlike a problem of a handle, one of lists can be pickled.
    return Problem(joined.records, alignment=joined.alignments,
                   kind=joined.kind, capacity=joined.capacity,
                   fixed={record: offset for record, offset
                          in enumerate(joined.fixed) if offset is not None},
                   names=shapes[0].names)


class PlanCache:
    """Plans of problems that come back, found by :attr:`Problem.fingerprint`.

    A plan is returned only if it was verified for the same records, or is
    verified for the problem. Any number of threads may use a cache at the same
    time.

    Parameters
    ----------
    max_bytes
        The memory that the plans and their problems may take. If there is no
        room for a new plan, the least recently used plans are removed.
    strategy
        The name of the strategy that makes new plans. None means "skyline". For
        shared objects, give a strategy for them, such as "greedy_best".

    Examples
    --------
    >>> import stowage
    >>> cache = stowage.PlanCache("16 MiB")
    >>> for batch in (1, 2, 1):
    ...     problem = stowage.Problem([(64 * batch, 0, 1), (64 * batch, 1, 2)])
    ...     cache.plan(problem).total_size
    128
    256
    128
    >>> cache.stats.hits, cache.stats.misses
    (1, 2)
    """

    def __init__(self, max_bytes: Union[int, str] = "16 MiB",
                 strategy: Optional[str] = None) -> None:
        _check_name(strategy)
        self._handle = _native.cache(size_of(max_bytes, "max_bytes"), strategy)

    def plan(self, problem: Problem, *, time_limit: Optional[float] = 0.1,
             node_budget: Optional[int] = None, seed: int = 1,
             threads: int = 1) -> Plan:
        """Return the cached plan of a problem, or plan it and keep the plan.

        The limits are those of :meth:`Problem.plan` for a new plan.
        """
        return plan_of(problem, _native.cache_get(
            _handle_of(problem), None, 0, time_limit, node_budget, seed, threads,
            False, False, None, None, self._handle))

    def improve(self, strategy: Optional[str] = None, *,
                time_limit: Optional[float] = 0.1,
                node_budget: Optional[int] = None, seed: int = 1,
                threads: int = 1) -> int:
        """Search for better plans, and return how many plans are better.

        The limits apply to the whole call. Plans that were returned more often
        get larger shares of them. Plans that the cache has already returned do
        not change.

        Parameters
        ----------
        strategy
            The name of the strategy. None means "optimal".
        """
        _check_name(strategy)
        return _native.cache_improve(
            None, strategy, 0, time_limit, node_budget, seed, threads, False,
            False, None, None, self._handle)

    def load(self, path: Path) -> int:
        """Add the plans of a file, and return the number of damaged lines.

        The file is not trusted: each plan is verified before its first use, and
        removed if it is unsafe.

        Raises
        ------
        Error
            If the file cannot be read, or is not a file of plans.
        """
        return _native.cache_load(self._handle, os.fsencode(path))

    def save(self, path: Path) -> None:
        """Write the plans to a file, either completely or not at all.

        Plans that unite pairs of `same_or_apart` or keep optional groups are
        not written.
        """
        _native.cache_save(self._handle, os.fsencode(path))

    @property
    def stats(self) -> CacheStats:
        """The counters of this cache."""
        return CacheStats(*_native.cache_stats(self._handle))

    def __len__(self) -> int:
        return self.stats.plans

    def __repr__(self) -> str:
        found = self.stats
        return f"<PlanCache of {found.plans} plans in {found.bytes} bytes>"
