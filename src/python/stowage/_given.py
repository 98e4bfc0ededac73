# SPDX-License-Identifier: Apache-2.0
"""Plans from elsewhere: whether they are safe, and as plans of a problem."""

from __future__ import annotations

from stowage import _native
from stowage._enums import NONE, Kind
from stowage._errors import Error, Unsafe
from stowage._plan import Plan, plan_of
from stowage._records import size_of
from stowage._violation import violation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Union

    from stowage._problem import Problem
    from stowage._violation import Violation

    Lists = Union[_native.SolutionHandle, _native.PlanLists]


def lists_of(problem: Problem, plan: Any, total_size: Optional[int]) -> Lists:
    """Return a plan as the native part takes it."""
    total = _total_of(problem, total_size)
    if isinstance(plan, Plan):
        lists = plan._read_lists()
        return plan._handle if total_size is None else (total, *lists[1:])
    places = memoryview(_native.pack(plan, "offsets"))
    if problem.kind is Kind.OBJECTS:
        return (total, None, None, places, _object_sizes(problem, places),
                None, None)
    return total, places, None, None, None, None, None


def _total_of(problem: Problem, total_size: Optional[int]) -> int:
    """Return the bytes of the arena, or NONE for the fewest."""
    if total_size is None:
        return NONE
    (total,) = memoryview(_native.pack(
        (size_of(total_size, "total_size"),), "total_size")).cast("Q")
    if problem.kind is Kind.OBJECTS:
        raise Error(f"total_size: {total_size!r} for shared objects, which "
                    "lie in no arena; expected None")
    return total


def _object_sizes(problem: Problem, objects: memoryview) -> memoryview:
    """Return the bytes that each shared object needs."""
    sizes: dict[int, int] = {}
    for number, row in zip(objects.cast("Q"), problem.rows()):
        sizes[number] = max(sizes.get(number, 0), row[0])
    if len(sizes) != max(sizes, default=-1) + 1:
        raise Error("objects: not all numbers from 0; expected them")
    return memoryview(_native.pack([sizes[i] for i in range(len(sizes))],
                                   "object_sizes"))


def violation_in(problem: Problem, plan: Any, total_size: Optional[int]
                 ) -> Optional[Violation]:
    """Return the violation of a plan of a problem, or None."""
    found = _native.verify(problem._handle,
                           lists_of(problem, plan, total_size))
    return None if found is None else violation_of(found)


def adopted(problem: Problem, lists: Lists) -> Plan:
    """Return lists as a plan of a problem, if it is safe."""
    found = _native.verify(problem._handle, lists)
    if found is not None:
        violation = violation_of(found)
        raise Unsafe(violation.message, records=violation.records,
                     violation=violation)
    return plan_of(problem, _native.solution(problem._handle, lists))
