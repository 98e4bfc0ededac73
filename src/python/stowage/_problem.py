# SPDX-License-Identifier: Apache-2.0
"""Problems, which describe everything that a plan must satisfy."""

from __future__ import annotations

import os

from stowage import _native
from stowage._enums import KINDS, NONE, Feature, Kind
from stowage._errors import Error
from stowage._plan import Plan, Proof, plan_of
from stowage._records import PLAIN, is_number, records_of
from stowage._requests import check_fixed, requests_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Sequence, Union, Unpack

    from stowage._results import Bound, Progress, Verdict
    from stowage._types import AnyStrategy, Path, Requests
    from stowage._violation import Violation


class Problem:
    """Records and everything that a plan of them must satisfy. Immutable.

    Parameters
    ----------
    records
        One row (size, first_task, last_task) for each tensor. Rows are given
        as an array of n by 3 integers, a tuple of three arrays, a list of
        tuples, or a data frame with the columns ``size``, ``first`` or
        ``lower``, and ``last`` or ``upper``. Both tasks are inclusive, except
        that a column ``upper`` holds the task after the last task.
    alignment
        The alignment of all offsets, or a list with one for each record.
    kind
        "offsets" (in one arena) or "objects" (shared objects).
    capacity
        The maximum size of a plan, such as 65536 or "64 KiB".
    half_open
        Whether the third number of a row is the task after the last task.
    fixed
        The offsets that records must have: a mapping of records to offsets, or
        a list with an offset or None for each record.
    ranges
        A mapping of records to pairs (min, max): the record must use only
        bytes [min, max). If max is None, there is no upper limit.
    groups
        Sets of records at fixed distances from each other. A set is an
        iterable of records that start at the same byte, or a mapping of
        records to their distances from the start of the group. To name the
        groups, pass a mapping of names to sets.
    optional_groups
        Whether a plan keeps only the groups that do not make it larger.
    holes
        Bytes that no record may use during some tasks, as rows
        (begin, end, first_task, last_task[, pool]). ``end`` is exclusive.
    apart
        Sets of records of which no two may share a byte.
    never
        Pairs of records of which at most one is live in any run.
    prefer_apart
        Triples of two records and the cost if they share a byte. The costs of
        triples with the same two records are added.
    same_or_apart
        Pairs of records of equal size that must have the same place or share
        no byte, even if they conflict. A third number is the number of bytes
        that need not be copied if both have the same place.
    pools
        The names and capacities of separate memories.
    choices
        A mapping of records to the pools that they may use, or to mappings of
        these pools to their costs.
    edges
        The edges of a partial order of the tasks.
    streams, waits
        A partial order of the tasks, given by streams and by waits between
        the tasks of different streams.
    free_order
        The edges of an order of the tasks that the plan may choose.
    users
        The tasks that use each record.
    tasks
        The number of tasks; by default one more than the highest task in the
        edges and the users.
    reallocation
        Pairs of records: the second may reuse the object of the first.
    place_first
        Records to place before all others.
    names, operators
        A name for each record, and a name for each task.

    Raises
    ------
    Error
        If a record or a request is invalid. The error has the indices of the
        records.

    Examples
    --------
    >>> import stowage
    >>> problem = stowage.Problem([(64, 0, 1), (64, 1, 2)], fixed={0: 64})
    >>> problem
    <Problem of 2 records>
    >>> problem.plan().offsets.tolist()
    [64, 0]
    """

    __slots__ = ("_handle", "_requests", "_source", "_cached", "__weakref__")
    _handle: _native.ProblemHandle
    # The requests, or None if the problem was passed to a strategy.
    _requests: Optional[tuple[_native.Request, ...]]
    # The content and the name of the file that the problem was read from.
    _source: Optional[tuple[bytes, str]]
    _cached: dict[str, Any]

    def __init__(self, records: Any, *,
                 alignment: Union[int, Sequence[int], Any] = 1,
                 half_open: bool = False,
                 **requests: Unpack[Requests]) -> None:
        self._fill(records, alignment, half_open, requests)

    def _fill(self, records: Any, alignment: Any, half_open: bool,
              requests: Requests) -> None:
        if type(alignment) is not int and is_number(alignment):
            alignment = int(alignment)
        if isinstance(alignment, (str, bytes, float)):
            raise Error(f"alignment: {alignment!r}; expected an integer, or a "
                        "list with one for each record")
        asked = requests_of(requests) if requests else ()
        if type(records) not in PLAIN:
            records, half_open = records_of(records, half_open)
        self._set(_native.create(records, half_open, alignment, asked), asked,
                  None)
        if "fixed" in requests:
            check_fixed(requests["fixed"], len(self))

    def _set(self, handle: _native.ProblemHandle,
             requests: Optional[tuple[_native.Request, ...]],
             source: Optional[tuple[bytes, str]]) -> None:
        self._handle = handle
        self._requests = requests
        self._source = source
        self._cached = {}

    @classmethod
    def _of_handle(cls, handle: _native.ProblemHandle) -> Problem:
        """Return the problem that was passed to a call of a strategy."""
        problem = cls.__new__(cls)
        problem._set(handle, None, None)
        # Read all lists now, because the handle is valid only during the call.
        problem._lists()
        problem._info()
        return problem

    # ---- Properties

    def _kept(self, find: Callable[..., Any]) -> Any:
        """Return the result of a function of the native module, cached."""
        name = find.__name__
        if name not in self._cached:
            self._cached[name] = find(self._handle)
        return self._cached[name]

    def _info(self) -> tuple[int, int, int, int, int]:
        found: tuple[int, int, int, int, int] = self._kept(_native.info)
        return found

    def _lists(self) -> tuple[memoryview, memoryview, memoryview, memoryview]:
        found: tuple[memoryview, memoryview, memoryview,
                     memoryview] = self._kept(_native.lists)
        return found

    def __len__(self) -> int:
        return self._info()[1]

    @property
    def kind(self) -> Kind:
        """The kind of place that a plan assigns to each record."""
        return KINDS[self._info()[0]]

    @property
    def capacity(self) -> Optional[int]:
        """The maximum size of a plan in bytes, or None for no limit."""
        bytes_ = self._info()[2]
        return None if bytes_ == NONE else bytes_

    @property
    def features(self) -> Feature:
        """The features that a strategy must support."""
        return Feature(self._info()[3])

    @property
    def pool_count(self) -> int:
        """The number of pools."""
        return self._info()[4]

    @property
    def records(self) -> memoryview:
        """Rows of (size, first_task, last_task); both tasks are inclusive."""
        return self._lists()[0]

    def rows(self) -> list[tuple[int, int, int]]:
        """Return the records as tuples."""
        rows: Any = self.records.tolist()
        return [(size, first, last) for size, first, last in rows]

    @property
    def alignments(self) -> memoryview:
        """The alignment of each record."""
        return self._lists()[1]

    @property
    def fixed(self) -> tuple[Optional[int], ...]:
        """The offset that each record must have, or None."""
        return tuple(None if offset == NONE else offset
                     for offset in self._lists()[2])

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each record. If no names were given, its index as text.

        If the problem was passed to a strategy, the names are read from the
        library when this property is first used. They are indices if this
        happens after the call of the strategy, or if no file can hold the
        names, for example because two of them are equal.
        """
        if "names" not in self._cached:
            self._cached["names"] = self._named()
        found: tuple[str, ...] = self._cached["names"]
        return found

    def _named(self) -> tuple[str, ...]:
        for name, _, texts in self._requests or ():
            if name == "names":
                return texts
        if self._source is not None or self._requests is None:
            from stowage._records import ids_of
            try:
                return ids_of(self.to_text)
            except Error:
                # The call of the strategy is over, or no file can hold the
                # names.
                if self._source is not None:
                    raise
        return tuple(map(str, range(len(self))))

    @property
    def bound(self) -> Bound:
        """The highest lower bound that is known without a search."""
        from stowage._results import Bound
        bytes_, proof, index, naive = self._kept(_native.bound)
        return Bound(bytes_, Proof._of(proof, index), naive)

    @property
    def fingerprint(self) -> int:
        """A 128-bit number that differs between different problems.

        It does not depend on names, and is the same on every machine.
        """
        high, low = self._kept(_native.fingerprint)
        found: int = high << 64 | low
        return found

    # ---- Plans

    def plan(self, strategy: AnyStrategy = None, *,
             time_limit: Optional[float] = 0.1,
             node_budget: Optional[int] = None, seed: int = 1,
             threads: int = 1,
             progress: Optional[Callable[[Progress], object]] = None,
             incumbent: Optional[Plan] = None, decide: bool = False,
             relax: bool = False) -> Plan:
        """Plan this problem with a strategy, and verify the plan.

        Parameters
        ----------
        strategy
            A name from :func:`stowage.strategies`, a :class:`Strategy`, or a
            function that gets a problem and returns a place for each record.
            The default is "skyline", or "greedy_best" for shared objects.
        time_limit
            The time limit of a search in seconds, or None for no limit.
        node_budget
            The maximum number of nodes of a search, which replaces the time
            limit. The plan is then the same on every machine.
        seed
            The seed of a search.
        threads
            The number of threads of a search; 0 means one on each core.
        progress
            A function that is called with a :class:`Progress` for every better
            plan or bound. If it returns False, the search stops. It is not
            called if pairs of records have costs, or under any other
            constraints that the library cannot reduce to simpler problems.
        incumbent
            A plan of this problem that is returned unless a better plan is
            found.
        decide
            Whether the search stops at the first plan within the capacity.
        relax
            Whether a strategy that does not support groups or partial orders
            gets a simpler problem. The resulting plan is safe, but may be
            larger than necessary.

        Raises
        ------
        Unsupported
            If the strategy lacks a feature that the problem requires.
        Unsafe
            If a strategy in Python returns a plan that is not safe.
        Error
            If there is no such strategy, or an option is invalid.
        """
        return self._planned(strategy, time_limit, node_budget, seed, threads,
                             progress, incumbent, decide, relax)

    def _planned(self, strategy: AnyStrategy, time_limit: Optional[float],
                 node_budget: Optional[int], seed: int, threads: int,
                 progress: Optional[Callable[[Progress], object]],
                 incumbent: Optional[Plan], decide: bool, relax: bool) -> Plan:
        if incumbent is not None and not isinstance(incumbent, Plan):
            raise Error(f"incumbent: {type(incumbent).__name__}; expected a "
                        "Plan, which problem.incumbent() makes of offsets")
        watched = None
        if progress is not None:
            if not callable(progress):
                raise Error(f"progress: {progress!r}; expected a function")
            from stowage._results import watch
            watched = watch(progress)
        held = None if incumbent is None else incumbent._held("incumbent: ")
        if strategy is None or isinstance(strategy, str):
            return plan_of(self, _native.solve(
                self._handle, strategy, 0, time_limit, node_budget, seed,
                threads, decide, relax, held, watched))
        from stowage._strategy import plan_by
        return plan_by(strategy, self, (time_limit, node_budget, seed, threads,
                                        decide, relax, held, watched))

    def verify(self, plan: Any, total_size: Optional[int] = None
               ) -> Optional[Violation]:
        """Return the violation in any plan, or None if the plan is safe.

        Parameters
        ----------
        plan
            A :class:`Plan`, or a list with the offset of each record or the
            number of its shared object. If the problem has pools, a tuple of
            two lists: the offset and the number of the pool of each record.
        total_size
            The size of the arena in bytes. The default is the size of the
            :class:`Plan`, or the smallest size that contains all records at
            the given offsets. It must be None for shared objects.

        Examples
        --------
        >>> import stowage
        >>> problem = stowage.Problem([(64, 0, 1), (64, 1, 2)])
        >>> problem.verify([0, 32]).kind.name
        'OVERLAPPING_BYTES'
        >>> problem.verify([0, 64]) is None
        True
        """
        from stowage._given import violation_in
        return violation_in(self, plan, total_size)

    def incumbent(self, plan: Any, total_size: Optional[int] = None) -> Plan:
        """Verify any plan, and return it as a :class:`Plan` of this problem.

        The arguments are those of :meth:`verify`.

        Raises
        ------
        Unsafe
            If the plan is not safe.
        Error
            If an argument is invalid.
        """
        from stowage._given import adopted, lists_of
        return adopted(self, lists_of(self, plan, total_size))

    # ---- Files

    def save(self, path: Path, plan: Optional[Plan] = None) -> None:
        """Write the problem, and the plan if one is given, to a file.

        The file is written either completely or not at all. If the path ends
        with ``.json``, the file is a problem file, otherwise a trace in CSV.
        """
        name = os.fsencode(path)
        _native.write(self._handle, None if plan is None else plan._held(),
                      int(name.lower().endswith(b".json")), name)

    def to_text(self, format: str = "csv", plan: Optional[Plan] = None) -> str:
        """Return the text that :meth:`save` writes, as "csv" or "json"."""
        if format not in ("csv", "json"):
            raise Error(f"format: {format!r}; expected 'csv' or 'json'")
        return _native.write(self._handle,
                             None if plan is None else plan._held(),
                             int(format == "json"), None).decode()

    def check_certificate(self, certificate: bytes) -> Verdict:
        """Check the proof of a plan of this problem.

        The check shares no arithmetic with the code that made the proof.
        """
        from stowage._results import Verdict
        found = _native.check(self._handle, certificate)
        return Verdict(*found[:3], found[3].decode())

    # ---- Comparison, copying and pickling

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self is other or (self.fingerprint == other.fingerprint
                                 and self.names == other.names)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> Problem:
        return self

    def __deepcopy__(self, memo: object) -> Problem:
        return self

    def __reduce__(self) -> tuple[Callable[..., Problem], tuple[Any, ...]]:
        if self._requests is None:
            raise TypeError("a problem of a call cannot be pickled")
        if self._source is not None:
            return _parsed, (*self._source, self._requests)
        return _restored, (bytes(self.records), bytes(self.alignments),
                           self._requests)

    def __repr__(self) -> str:
        return f"<Problem of {len(self)} records>"


def _restored(records: bytes, alignments: bytes,
              requests: tuple[_native.Request, ...]) -> Problem:
    """Restore a pickled problem."""
    problem = Problem.__new__(Problem)
    view = memoryview(records).cast("Q")
    columns = (view[0::3], view[1::3], view[2::3])
    handle = _native.create(columns, False, memoryview(alignments).cast("Q"),
                            requests)
    problem._set(handle, requests, None)
    return problem


def _parsed(text: bytes, name: str, requests: tuple[_native.Request, ...] = ()
            ) -> Problem:
    """Return the problem that the text of a file describes."""
    problem = Problem.__new__(Problem)
    handle = _native.create(_native.parse(text, name), False, 1, requests)
    problem._set(handle, requests, (text, name))
    return problem


def plan(records: Any, strategy: AnyStrategy = None, *,
         time_limit: Optional[float] = 0.1,
         node_budget: Optional[int] = None, seed: int = 1, threads: int = 1,
         progress: Optional[Callable[[Progress], object]] = None,
         decide: bool = False, relax: bool = False,
         alignment: Union[int, Sequence[int], Any] = 1,
         half_open: bool = False, **requests: Unpack[Requests]) -> Plan:
    """Create a problem from records, and return a plan of it.

    Parameters
    ----------
    records, alignment, half_open, requests
        As for :class:`Problem`.
    strategy, time_limit, node_budget, seed, threads, progress, decide, relax
        As for :meth:`Problem.plan`.

    Examples
    --------
    >>> import stowage
    >>> stowage.plan([(64, 0, 1), (64, 1, 2)], capacity="1 KiB").total_size
    128
    """
    problem = Problem.__new__(Problem)
    problem._fill(records, alignment, half_open, requests)
    return problem._planned(strategy, time_limit, node_budget, seed, threads,
                            progress, None, decide, relax)
