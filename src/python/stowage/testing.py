# SPDX-License-Identifier: Apache-2.0
"""Tests of planners that are Python functions.

Like a strategy, a planner is a function that gets a :class:`stowage.Problem`
and returns an offset for each record. :func:`check` searches for a problem on
which a planner violates a property that every correct planner has, and shrinks
this problem:

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
from stowage._requests import _check, kind_of, kind_request, list_of
from stowage._strategy import Asked

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from stowage._types import Answer

__all__ = ["Report", "Violated", "check", "families", "problems", "records"]


@dataclass(frozen=True)
class Report:
    """The extent of a test in which the planner violated no property."""

    samples: int  # the number of problems that were tried
    runs: int  # the number of calls of the planner


class Violated(AssertionError):
    """A planner violates a property.

    If the planner raised an exception, it is the cause of this exception.

    Attributes
    ----------
    property, sentence : str
        The name of the property, and a sentence that says what should hold.
    reason : str
        A description of what is wrong.
    problem : Problem
        The smallest problem that was found to violate the property.
    asked : Problem
        The problem of the last call of the planner. A property may derive it
        from `problem`, for example by reordering the records.
    found : Problem
        The problem that first violated the property.
    sample : int
        The number of the problem `found`. If the planner is deterministic,
        ``check`` fails again with ``first=sample, samples=1`` and otherwise
        the same arguments.
    runs : int
        The number of calls of the planner.
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
    """Return the names of the families of records, with a description.

    The description of a family also says which planners fail on it.

    Examples
    --------
    >>> import stowage.testing
    >>> stowage.testing.families()["zero_sizes"].split(",")[0]
    'every other tensor has no bytes'
    """
    return dict(_native.families())


class _Planner:
    """Calls a planner, and converts its exceptions to codes."""

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
        """Store an exception, and return its reason as a valid C string."""
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
        A function that gets a problem and returns a place for each record: its
        offset, or the number of its shared object. If the problem has pools,
        the function returns two lists: the offsets, and the numbers of the
        pools. It must raise NotImplementedError or
        :class:`stowage.Unsupported` if it does not claim to support the
        problem, for example because the problem has alignments or records out
        of order. It must raise another exception if the problem has no plan.
    families
        The names of the families of records. The default is all families.
    samples
        The number of problems to try. Problems with higher numbers are larger:
        with all families, the first 64 problems have no records.
    seed, first
        The seed, and the number of the first problem. The same seed and number
        give the same problem on every machine.
    features
        The features that the planner claims to support. By default, problems
        consist of records with alignments. With features, problems have
        constraints of these features and do not come from families.
    kind
        "offsets" or "objects".
    claims
        The names of additional properties that the planner claims, such as
        "not_above_naive".
    max_size
        The maximum number of random samples from which a problem is made. A
        sample gives one record or, in families of networks, a block of
        records.
    large_size
        One problem in 40 is large. Half of the large problems have up to 70
        records, and the other half up to this number of records. With 0, no
        problem is large.
    max_alignment
        Every second problem has alignments. They are at most 256 in half of
        these problems, and at most this number in the other half.

    Raises
    ------
    Violated
        If a property does not hold. The exception has the smallest problem.
    Error
        If an argument is invalid.

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
    names = () if families is None else _names_of(families)
    found = _native.test(
        called, (KINDS.index(kind), seed, first, samples, max_size, large_size,
                 max_alignment, int(features)), names,
        tuple(list_of(claims, "claims", "a list of names")))
    if isinstance(found, int):
        return Report(samples, found)
    runs, sample, property_, sentence, reason, text, *handles = found
    smallest, asked, first_found = (_owned(handle) for handle in handles)
    again = f"again      check(..., seed={seed}, first={sample}, samples=1)"
    # The last exception of the planner is the cause if the failure quotes it.
    cause = called.raised if called.reason in reason else None
    raise Violated(text + again, property_, sentence, reason, smallest, asked,
                   first_found, sample, runs) from cause


def problems(families: Optional[Sequence[str]] = None, *,
             samples: Optional[int] = None, seed: int = 1, max_size: int = 20,
             max_alignment: int = 1, features: Feature = Feature(0)
             ) -> Iterator[Problem]:
    """Generate random problems.

    Parameters
    ----------
    families
        The names of the families, which successive problems use in turn. The
        default is all families.
    samples
        The number of problems to generate. By default, there is no limit. A
        problem is skipped if the sum of its sizes exceeds 2^64 - 1.
    seed
        The seed. The same seed gives the same problems on every machine.
    max_size
        The maximum number of random samples from which a problem is made. The
        number starts at 0 and grows.
    max_alignment
        If it is above 1, each record has a random alignment of at most this
        number, which must be a power of two.
    features
        With features, the problems have constraints of these features and do
        not come from families.

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
        names = _names_of(_native_names() if families is None else families)
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


def _names_of(families: Iterable[str]) -> tuple[str, ...]:
    names = tuple(list_of(families, "families", "a list of names"))
    if not names:
        raise Error("families: none; expected a name, or None for all")
    return names


def _native_names() -> list[str]:
    return [name for name, _ in _native.families()]


def records(max_size: int = 20,
            families: Optional[Sequence[str]] = None
            ) -> SearchStrategy[list[tuple[int, int, int]]]:
    """Return a Hypothesis strategy for lists of records.

    A record is (size, first_task, last_task); both tasks are inclusive. Half
    of the lists come from the families, and Hypothesis generates the records
    of the other half itself. Both halves shrink to few records, small sizes
    and early tasks. The lists that Hypothesis generates shrink further.

    Parameters
    ----------
    max_size
        The maximum number of records, or of blocks of a network.
    families
        The names of the families. The default is all families whose sizes do
        not overflow, so every planner can plan them.

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
    names = _names_of(
        [name for name in _native_names() if name != "overflowing_sizes"]
        if families is None else families)

    @st.composite
    def of_families(draw: Any) -> list[tuple[int, int, int]]:
        name = draw(st.sampled_from(names))
        size = draw(st.integers(0, max_size))
        seed = draw(st.integers(0, 1 << 32))
        rows = _owned(_native.sample(name, 0, seed, size, 1)).rows()
        # Hypothesis shrinks these numbers towards 0: with 0, the record is
        # dropped, and with 1, its size is reduced to at most one byte. All
        # other numbers leave the record unchanged and are far more frequent.
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

    A problem with constraints can be pickled only if the library was built
    with JSON.
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
