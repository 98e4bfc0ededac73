# SPDX-License-Identifier: Apache-2.0
"""Verification and conversion of plans that the library did not make."""

from __future__ import annotations

from stowage import _native
from stowage._enums import NONE, Kind
from stowage._errors import Error, Unsafe
from stowage._plan import Plan, plan_of
from stowage._records import is_number, size_of
from stowage._violation import violation_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Union

    from stowage._problem import Problem
    from stowage._violation import Violation

    Lists = Union[_native.SolutionHandle, _native.PlanLists]


def lists_of(problem: Problem, plan: Any, total_size: Optional[int]) -> Lists:
    """Convert a plan to the form that the native module requires."""
    total = _total_of(problem, total_size)
    if isinstance(plan, Plan):
        lists = plan._read_lists()
        return plan._handle if total_size is None else (total, *lists[1:])
    packed, pools = places_and_pools(problem, plan, "offsets")
    places = memoryview(packed)
    if problem.kind is Kind.OBJECTS:
        return (total, None, None, places, _object_sizes(problem, places),
                None, None)
    return (total, places, None if pools is None else memoryview(pools), None,
            None, None, None)


def places_and_pools(problem: Problem, plan: Any, label: str
                     ) -> tuple[bytes, Optional[bytes]]:
    """Pack a list of places or, with pools, a tuple of offsets and pools."""
    pools: Any = None
    is_list = (not problem.pool_count or not isinstance(plan, tuple)
               or (plan and all(map(is_number, plan))))
    if not is_list:
        if len(plan) != 2:
            raise Error(f"{label}: {len(plan)} lists; expected two: offsets, "
                        "and the numbers of pools")
        plan, pools = plan
    places = _native.pack(plan, label)
    if pools is None:
        return places, None
    wide = memoryview(_native.pack(pools, f"{label}: pools"))
    from array import array
    try:
        return places, array("I", wide.cast("Q")).tobytes()
    except OverflowError:
        raise Error(f"{label}: a pool above 2^32 - 1; expected the number of "
                    "a pool") from None


def _total_of(problem: Problem, total_size: Optional[int]) -> int:
    """Return the size of the arena, or NONE for the smallest possible."""
    if total_size is None:
        return NONE
    (total,) = memoryview(_native.pack(
        (size_of(total_size, "total_size"),), "total_size")).cast("Q")
    if problem.kind is Kind.OBJECTS:
        raise Error(f"total_size: {total_size!r} for shared objects, which "
                    "lie in no arena; expected None")
    return total


def _object_sizes(problem: Problem, objects: memoryview) -> memoryview:
    """Return the size in bytes that each shared object needs."""
    sizes: dict[int, int] = {}
    for number, row in zip(objects.cast("Q"), problem.rows()):
        sizes[number] = max(sizes.get(number, 0), row[0])
    if len(sizes) != max(sizes, default=-1) + 1:
        raise Error("objects: some numbers are missing; expected all "
                    "from 0 on")
    return memoryview(_native.pack([sizes[i] for i in range(len(sizes))],
                                   "object_sizes"))


def violation_in(problem: Problem, plan: Any, total_size: Optional[int]
                 ) -> Optional[Violation]:
    """Return the violation in a plan, or None if the plan is safe."""
    found = _native.verify(problem._handle,
                           lists_of(problem, plan, total_size))
    return None if found is None else violation_of(found)


def adopted(problem: Problem, lists: Lists) -> Plan:
    """Return a Plan made from lists. Raise Unsafe if it is not safe."""
    found = _native.verify(problem._handle, lists)
    if found is not None:
        violation = violation_of(found)
        raise Unsafe(violation.message, records=violation.records,
                     violation=violation)
    return plan_of(problem, _native.solution(problem._handle, lists))
