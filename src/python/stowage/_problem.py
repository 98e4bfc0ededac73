# SPDX-License-Identifier: Apache-2.0
"""Problems: records and everything that a plan must honour."""

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
    """Records and what a plan of them must honour. It never changes.

    Parameters
    ----------
    records
        One row of (size, first_task, last_task) for each tensor: an array of
        n by 3 integers, a tuple of three arrays, a list of tuples, or a frame
        with the columns ``size``, ``first`` or ``lower``, and ``last`` or
        ``upper``. Both ends are inclusive, except in a column ``upper``.
    alignment
        The alignment of all offsets, or one for each record.
    kind
        "offsets" in one arena, or shared "objects".
    capacity
        The bytes that a plan may use, such as 65536 or "64 KiB".
    half_open
        Whether the third number of a row is one past the last task.
    fixed
        The offsets that records must have: a mapping, or a list with None.
    ranges
        For records: the lowest byte, and one past the highest or None.
    groups
        Sets of records at fixed distances: an iterable of records that begin
        together, or a mapping of records to their distances. A mapping of
        names to such sets names the groups.
    optional_groups
        Whether a plan keeps only groups that do not make it larger.
    holes
        Bytes that are taken: (begin, end, first_task, last_task[, pool]).
    apart
        Sets of records that share no byte.
    never
        Pairs of records of which only one is ever live.
    prefer_apart
        Triples of two records and the cost of sharing a byte; the costs of
        the same two records add up.
    same_or_apart
        Pairs of records of equal size that lie in one place or apart, even
        if they conflict; a third number is the bytes that need not be copied
        in one place.
    pools
        Names and capacities of separate memories.
    choices
        For records: the pools that they may use, or these and their costs.
    edges, streams, waits, free_order, users, tasks
        The order of tasks: edges of a partial order, or streams and waits
        between them, or edges of an order that the plan chooses; the tasks
        that use each record; the number of tasks, unless it is one above the
        highest.
    reallocation
        Pairs of records: the second may take over the object of the first.
    place_first
        Records to place before all others.
    names, operators
        A name for each record, and for each task.

    Raises
    ------
    Error
        For records and requests that are refused, with their indices.

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
    _requests: Optional[tuple[_native.Request, ...]]  # None: of a call
    _source: Optional[tuple[bytes, str]]  # of a file
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
        """Return the problem that a strategy is asked to plan."""
        problem = cls.__new__(cls)
        problem._set(handle, None, None)
        # All lists, since the handle ends with the call.
        problem._lists()
        problem._info()
        return problem

    # ---- What it is

    def _kept(self, find: Callable[..., Any]) -> Any:
        """Return what a function of the native part finds, asked once."""
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
        """Whether a plan has offsets or shared objects."""
        return KINDS[self._info()[0]]

    @property
    def capacity(self) -> Optional[int]:
        """The bytes that a plan may use, or None for no limit."""
        bytes_ = self._info()[2]
        return None if bytes_ == NONE else bytes_

    @property
    def features(self) -> Feature:
        """What a strategy must support."""
        return Feature(self._info()[3])

    @property
    def pool_count(self) -> int:
        """The number of pools."""
        return self._info()[4]

    @property
    def records(self) -> memoryview:
        """Rows of (size, first_task, last_task), both ends inclusive."""
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
        """The name of each record: its number where none is given.

        In a strategy they are read from the library, and are numbers where
        no file can hold them, such as two that are alike. Unless they are
        read during the call, they are numbers after it, too.
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
                # The call has ended, or no file can hold the names.
                if self._source is not None:
                    raise
        return tuple(map(str, range(len(self))))

    @property
    def bound(self) -> Bound:
        """The highest bound that is known without a search."""
        from stowage._results import Bound
        bytes_, proof, index, naive = self._kept(_native.bound)
        return Bound(bytes_, Proof._of(proof, index), naive)

    @property
    def fingerprint(self) -> int:
        """A number of 128 bits that differs for problems that differ.

        Names aside; it is the same on every machine.
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
        """Return the plan of a strategy, which is verified.

        Parameters
        ----------
        strategy
            A name of :func:`stowage.strategies`, or a function of a problem
            that returns a place for each record, or a :class:`Strategy`. By
            default "skyline", or "greedy_best" for shared objects.
        time_limit
            Seconds that a search may take, or None for no limit.
        node_budget
            The nodes of a search, in place of a time: plans then repeat on
            every machine.
        seed
            The seed of a search.
        threads
            The threads of a search; 0 is one on each core.
        progress
            A function of :class:`Progress`, which is called with every better
            plan or bound. The search ends if it returns False. It is not
            called if pairs of records have costs, nor under other
            constraints that the library cannot reduce to simpler problems.
        incumbent
            A plan of this problem, which is returned unless a better one is
            found.
        decide
            Whether the first plan within the capacity is enough.
        relax
            Whether a strategy that lacks groups or partial orders gets a
            simpler problem, whose plan is safe and may be larger.

        Raises
        ------
        Unsupported
            If the strategy lacks a feature of the problem.
        Unsafe
            If a strategy in Python returns a plan that is not safe.
        Error
            If there is no such strategy, or an option is wrong.
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
        """Return the violation of a plan from anywhere, or None if it is safe.

        Parameters
        ----------
        plan
            A :class:`Plan`, or the offset of each record, or the number of
            its shared object.
        total_size
            The bytes of the arena; by default those of the plan, or the
            fewest that the offsets need. Shared objects have none.

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
        """Return a plan from elsewhere as a plan of this problem.

        The arguments are those of :meth:`verify`.

        Raises
        ------
        Unsafe
            If it is not safe.
        Error
            For arguments that are refused.
        """
        from stowage._given import adopted, lists_of
        return adopted(self, lists_of(self, plan, total_size))

    # ---- Files

    def save(self, path: Path, plan: Optional[Plan] = None) -> None:
        """Write the problem, and a plan if there is one, as a file.

        The file is written completely or not at all. A path that ends with
        ``.json`` gets a problem file, any other a trace in CSV.
        """
        name = os.fsencode(path)
        _native.write(self._handle, None if plan is None else plan._held(),
                      int(name.lower().endswith(b".json")), name)

    def to_text(self, format: str = "csv", plan: Optional[Plan] = None) -> str:
        """Return the problem, and a plan, as the text of a file."""
        if format not in ("csv", "json"):
            raise Error(f"format: {format!r}; expected 'csv' or 'json'")
        return _native.write(self._handle,
                             None if plan is None else plan._held(),
                             int(format == "json"), None).decode()

    def check_certificate(self, certificate: bytes) -> Verdict:
        """Check the proof of a plan of this problem, by other arithmetic."""
        from stowage._results import Verdict
        found = _native.check(self._handle, certificate)
        return Verdict(*found[:3], found[3].decode())

    # ---- As a value

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
    """Return a problem that was pickled."""
    problem = Problem.__new__(Problem)
    view = memoryview(records).cast("Q")
    columns = (view[0::3], view[1::3], view[2::3])
    handle = _native.create(columns, False, memoryview(alignments).cast("Q"),
                            requests)
    problem._set(handle, requests, None)
    return problem


def _parsed(text: bytes, name: str, requests: tuple[_native.Request, ...] = ()
            ) -> Problem:
    """Return the problem of the text of a file."""
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
    """Return a plan of records: a problem and its plan in one call.

    Parameters
    ----------
    records, alignment, half_open, requests
        Those of :class:`Problem`.
    strategy, time_limit, node_budget, seed, threads, progress, decide, relax
        Those of :meth:`Problem.plan`.

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
