# SPDX-License-Identifier: Apache-2.0
"""Tests of planners that are functions in Python.

A planner is a function of a :class:`stowage.Problem` that returns an offset for
each record, as strategies are. :func:`check` looks for a problem on which it
violates a property of every correct planner, and makes it small:

>>> import stowage.testing
>>> stowage.testing.check(lambda problem: problem.plan().offsets, samples=200)
Report(samples=200, runs=2577)

``docs/test-your-planner.md`` lists the families of problems and the
properties.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional,
                    Sequence, Union)

from stowage import _native
from stowage._enums import KINDS, Code, Feature, Kind
from stowage._errors import Error, Unsupported
from stowage._problem import Problem, _parsed, _restored
from stowage._requests import _check, kind_of, kind_request
from stowage._strategy import Asked

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from stowage._types import Answer

__all__ = ["Report", "Violated", "check", "families", "problems", "records"]

_NO_FAMILIES = "families: none; expected a name, or None for all"


@dataclass(frozen=True)
class Report:
    """How much of a planner was tested, if no property has failed."""

    samples: int  # problems that were tried
    runs: int  # calls of the planner


class Violated(AssertionError):
    """A planner violates a property.

    The exception of the planner, if there is one, is the cause of this one.

    Attributes
    ----------
    property, sentence : str
        The name of the property, and what should hold.
    reason : str
        What is wrong.
    problem : Problem
        The smallest problem on which the property does not hold.
    asked : Problem
        The one that the planner was asked last, which a property may derive
        from it, such as the same records in another order.
    found : Problem
        The one that was found first.
    sample : int
        Its number. ``check`` with ``first=sample, samples=1`` and otherwise
        the same arguments fails again, if the planner is deterministic.
    runs : int
        The calls of the planner.
    """

    def __init__(self, text: str, property: str, sentence: str, reason: str,
                 problem: Problem, asked: Problem, found: Problem,
                 sample: int, runs: int) -> None:
        super().__init__(text)
        self.property = property
        self.sentence = sentence
        self.reason = reason
        self.problem = problem
        self.asked = asked
        self.found = found
        self.sample = sample
        self.runs = runs

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.property, self.sentence,
                            self.reason, self.problem, self.asked, self.found,
                            self.sample, self.runs)


def families() -> dict[str, str]:
    """Return the families of records: their names, and what fails on them.

    Examples
    --------
    >>> import stowage.testing
    >>> stowage.testing.families()["zero_sizes"].split(",")[0]
    'every other tensor has no bytes'
    """
    return dict(_native.families())


class _Planner:
    """Calls a planner, and makes codes of its exceptions."""

    def __init__(self, planner: Callable[[Problem], Answer]) -> None:
        self._asked = Asked(planner)
        self.raised: Optional[Exception] = None
        self.reason = ""  # the text of the exception

    def __call__(self, handle: _native.ProblemHandle
                 ) -> Union[tuple[bytes, Optional[bytes]], tuple[int, str]]:
        try:
            self.raised = None
            return self._asked(handle)
        except (Unsupported, NotImplementedError) as error:
            return int(Code.UNIMPLEMENTED), self._keep(error, str(error))
        except Exception as error:  # a failure, which is reported
            return int(Code.INTERNAL), self._keep(
                error, f"{type(error).__name__}: {error}")

    def _keep(self, error: Exception, reason: str) -> str:
        """Keep an exception, and return its reason as a C string holds it."""
        self.raised = error
        self.reason = reason.replace("\0", "?").encode(
            errors="replace").decode()
        return self.reason


def check(planner: Callable[[Problem], Answer], *,
          families: Optional[Iterable[str]] = None, samples: int = 2000,
          seed: int = 1, first: int = 0, features: Feature = Feature(0),
          kind: Union[Kind, str] = Kind.OFFSETS, claims: Iterable[str] = (),
          max_size: int = 20, large_size: int = 300,
          max_alignment: int = 1 << 17) -> Report:
    """Test a planner on generated problems.

    Parameters
    ----------
    planner
        A function of a problem that returns a place for each record: its
        offset, or the number of its shared object. With pools it returns two
        lists: offsets, and the numbers of pools. It raises
        NotImplementedError or :class:`stowage.Unsupported` for what it does
        not claim to do, such as alignments or records out of order, and any
        other exception for a problem without a plan.
    families
        The names of the families of records, by default all.
    samples
        How many problems are tried. Their size grows: with all families, the
        first 64 have no records.
    seed, first
        The seed, and the number of the first problem. The same seed and number
        give the same problem on every machine.
    features
        By default the problems are records with alignments. Otherwise they
        have constraints of these features, and no families.
    kind
        "offsets" or "objects".
    claims
        The names of further properties that the planner promises, such as
        "not_above_naive".
    max_size
        From how many random samples a problem is made at most. A sample is a
        record, or a block of a network.
    large_size
        One problem in 40 has up to 70 records or up to this number; with 0
        none has.
    max_alignment
        Every other problem has alignments up to 256 or up to this.

    Raises
    ------
    Violated
        If a property does not hold, with the smallest problem.
    Error
        For arguments that are refused.

    Examples
    --------
    >>> import stowage.testing
    >>> try:
    ...     stowage.testing.check(lambda problem: [0] * len(problem))
    ... except stowage.testing.Violated as error:
    ...     error.property, error.problem.rows()
    ('safety', [(1, 0, 0), (1, 0, 0)])
    """
    kind = kind_of(kind)
    called = _Planner(planner)
    names = () if families is None else tuple(families)
    if families is not None and not names:
        raise Error(_NO_FAMILIES)
    found = _native.test(
        called, (KINDS.index(kind), seed, first, samples, max_size, large_size,
                 max_alignment, int(features)), names, tuple(claims))
    if isinstance(found, int):
        return Report(samples, found)
    runs, sample, property_, sentence, reason, text, *handles = found
    smallest, asked, first_found = (_owned(handle) for handle in handles)
    again = f"again      check(..., seed={seed}, first={sample}, samples=1)"
    # What the planner raised last, if its last call is what has failed.
    cause = called.raised if called.reason in reason else None
    raise Violated(text + again, property_, sentence, reason, smallest, asked,
                   first_found, sample, runs) from cause


def problems(families: Optional[Sequence[str]] = None, *,
             samples: Optional[int] = None, seed: int = 1, max_size: int = 20,
             max_alignment: int = 1, features: Feature = Feature(0)
             ) -> Iterator[Problem]:
    """Return random problems, one after the other.

    Parameters
    ----------
    families
        The names of the families, which alternate; by default all.
    samples
        How many problems there are; by default they never end. Those whose
        sizes exceed 2^64 - 1 in sum are left out.
    seed
        The seed. The same seed gives the same problems on every machine.
    max_size
        From how many random samples a problem is made at most; the first ones
        are made from few.
    max_alignment
        If it is above 1, each record has an alignment up to this power of two.
    features
        If there are any, the problems have constraints of these features, and
        no families.

    Examples
    --------
    >>> import stowage.testing
    >>> for problem in stowage.testing.problems(["chains"], samples=3):
    ...     problem.rows()
    []
    [(480975, 0, 1)]
    [(102382, 0, 1), (1003272, 1, 2)]
    """
    _check((seed,), "seed")
    _check((max_size,), "max_size")
    names: Sequence[Optional[str]] = [None]
    if not features:
        names = list(_native_names() if families is None else families)
    if not names:
        raise Error(_NO_FAMILIES)
    numbers: Iterable[int] = (itertools.count() if samples is None
                              else range(samples))
    for number in numbers:
        size = number // len(names) % (int(max_size) + 1)
        try:
            yield _owned(_native.sample(names[number % len(names)],
                                        int(features),
                                        (int(seed) + number) % 2**64, size,
                                        max_alignment))
        except Error as error:
            if error.code is not Code.OUT_OF_RANGE:
                raise


def _native_names() -> list[str]:
    return [name for name, _ in _native.families()]


def records(max_size: int = 20,
            families: Optional[Sequence[str]] = None
            ) -> SearchStrategy[list[tuple[int, int, int]]]:
    """Return a strategy of Hypothesis for lists of records.

    A record is (size, first_task, last_task), both ends inclusive. Half of the
    lists are of the families, and half are records that Hypothesis generates
    itself. Both shrink to few records, small sizes and early tasks; the latter
    shrink further.

    Parameters
    ----------
    max_size
        The largest number of records, or of blocks of a network.
    families
        The names of the families, by default all that every planner can plan.

    Examples
    --------
    >>> import hypothesis
    >>> import stowage, stowage.testing
    >>> @hypothesis.settings(derandomize=True, max_examples=20)
    ... @hypothesis.given(stowage.testing.records())
    ... def test(records):
    ...     assert stowage.plan(records).total_size >= 0
    >>> test()
    """
    from hypothesis import strategies as st

    sizes = st.integers(0, 8) | st.integers(0, 1 << 20)
    plain = st.lists(
        st.tuples(sizes, st.integers(0, 20), st.integers(0, 6)).map(
            lambda record: (record[0], record[1], record[1] + record[2])),
        max_size=max_size)
    names = (list(families) if families is not None else
             [name for name in _native_names() if name != "overflowing_sizes"])

    @st.composite
    def of_families(draw: Any) -> list[tuple[int, int, int]]:
        name = draw(st.sampled_from(names))
        size = draw(st.integers(0, max_size))
        seed = draw(st.integers(0, 1 << 32))
        rows = _owned(_native.sample(name, 0, seed, size, 1)).rows()
        # Of small numbers, to which Hypothesis shrinks, 0 drops a record, and
        # 1 makes its size one byte. Others are by far the most.
        changes = draw(st.lists(st.integers(0, 255), min_size=len(rows),
                                max_size=len(rows)))
        kept = [(min(row[0], 1) if change == 1 else row[0], row[1], row[2])
                for row, change in zip(rows, changes) if change > 0]
        if draw(st.integers(0, 255)) > 0:
            return kept
        ranks = {task: rank for rank, task in enumerate(sorted(
            {task for _, first, last in kept for task in (first, last)}))}
        return [(bytes_, ranks[first], ranks[last])
                for bytes_, first, last in kept]

    return plain | of_families()


def _owned(handle: _native.ProblemHandle) -> Problem:
    """Return a problem that can be kept, compared and pickled.

    One with constraints can be pickled if the library writes JSON.
    """
    problem = Problem._of_handle(handle)
    requests: list[_native.Request] = []
    if problem.kind is Kind.OBJECTS:
        requests.append(kind_request(Kind.OBJECTS))
    if not problem.features & ~(Feature.OFFSETS | Feature.OBJECTS):
        return _restored(bytes(problem.records), bytes(problem.alignments),
                         tuple(requests))
    try:
        text = _native.write(handle, None, 1, None)
    except Unsupported:  # a library without JSON
        return problem
    return _parsed(text, "problem.json", tuple(requests))
