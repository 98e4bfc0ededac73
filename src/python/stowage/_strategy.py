# SPDX-License-Identifier: Apache-2.0
"""Strategies in Python: functions that return offsets for a problem."""

from __future__ import annotations

from typing import Any, Callable, Optional, Protocol, runtime_checkable

from stowage import _native
from stowage._enums import Code, Feature
from stowage._errors import Error, Unsafe
from stowage._given import places_and_pools
from stowage._plan import plan_of
from stowage._problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stowage._plan import Plan
    from stowage._types import Answer


@runtime_checkable
class Strategy(Protocol):
    """A strategy with a name and the features that it supports.

    A plain function is also a strategy, but without further features. It gets
    a problem, and returns for each record its offset or the number of its
    shared object. If the problem has pools, it returns two lists: the offsets,
    and the numbers of the pools.
    """

    name: str
    features: Feature

    def __call__(self, problem: Any, /) -> Answer:
        """Return the places of the records of a problem."""


class Asked:
    """A strategy in Python in the form that the native module calls."""

    def __init__(self, strategy: Callable[[Any], Answer]) -> None:
        if not callable(strategy):
            raise Error(f"strategy: {strategy!r}; expected a name, a function "
                        "or an object that can be called")
        self._strategy = strategy
        self.name = name_of(strategy)
        # Messages cannot contain every character that a name may contain.
        shown = self.name if self.name.isprintable() else ascii(self.name)
        self.label = f"strategy {shown}"
        self.features: Feature = getattr(
            strategy, "features", Feature.OFFSETS | Feature.OBJECTS)
        self.places: Optional[bytes] = None
        self.pools: Optional[bytes] = None
        self.raised: Optional[Error] = None

    def __call__(self, handle: _native.ProblemHandle
                 ) -> tuple[bytes, Optional[bytes]]:
        try:
            return self._packed(Problem._of_handle(handle))
        except Error as error:
            self.raised = error
            raise

    def _packed(self, problem: Problem) -> tuple[bytes, Optional[bytes]]:
        places, pools = places_and_pools(problem, self._strategy(problem),
                                         self.label)
        if len(places) != 8 * len(problem):
            raise Error(f"{self.label}: {len(places) // 8} places; "
                        f"expected {len(problem)}, one per record")
        self.places, self.pools = places, pools
        return places, pools


def name_of(strategy: object) -> str:
    """Return the name of a strategy."""
    if isinstance(strategy, str):
        return strategy
    name = getattr(strategy, "name", None) or getattr(strategy, "__name__", "")
    return str(name) or type(strategy).__name__


def plan_by(strategy: Callable[[Any], Answer], problem: Problem,
            options: tuple[Any, ...]) -> Plan:
    """Plan a problem with a strategy in Python.

    The plan has the name of this strategy.
    """
    asked = Asked(strategy)
    try:
        handle = _native.solve(problem._handle, asked, asked.features,
                               *options)
    except Error as error:
        # An error that the strategy itself raised is not about its plan.
        is_own = error is asked.raised
        asked.raised = None  # because it keeps the frames of the call alive
        if is_own or error.code is not Code.FAILED_PRECONDITION:
            raise
        raise _unsafe(problem, asked, error) from None
    reason, _, _, conflict = plan_of(problem, handle)._text()
    return plan_of(problem, handle, None,
                   (reason, asked.name, asked.name, conflict))


def _unsafe(problem: Problem, asked: Asked, error: Error) -> Unsafe:
    """Return the error for an unsafe plan, with the violation if known."""
    violation = None
    if asked.places is not None and len(asked.places) == 8 * len(problem):
        try:
            offsets = memoryview(asked.places).cast("Q")
            violation = problem.verify(
                offsets if asked.pools is None
                else (offsets, memoryview(asked.pools).cast("I")))
        except Error:
            pass  # The plan is of a simpler problem.
    return Unsafe(f"{asked.label}: {error}", error.code, error.records,
                  violation=violation)
