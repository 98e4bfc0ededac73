# SPDX-License-Identifier: Apache-2.0
"""Violations, which show why a plan is not safe."""

from __future__ import annotations

from dataclasses import dataclass

from stowage import _native
from stowage._enums import NONE, ViolationKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


# The kinds that use the field `second_tensor`.
OF_TWO_RECORDS = frozenset((
    ViolationKind.OVERLAPPING_BYTES, ViolationKind.SHARED_OBJECT,
    ViolationKind.GROUP_BROKEN, ViolationKind.NOT_APART,
    ViolationKind.WRONG_POOL, ViolationKind.UNORDERED_SHARING,
    ViolationKind.SHARED_IN_PART))


@dataclass(frozen=True, repr=False)
class Violation:
    """A rule that a plan violates, and the records and bytes concerned.

    `stowage/verify.h` documents which fields each kind uses. Ignore all other
    fields. None means that there is no such record or number.
    """

    kind: ViolationKind
    message: str
    first_tensor: Optional[int] = None
    second_tensor: Optional[int] = None
    task: Optional[int] = None
    begin: Optional[int] = None
    end: Optional[int] = None
    object: Optional[int] = None
    hole: Optional[int] = None
    pool: Optional[int] = None
    second_task: Optional[int] = None
    third_task: Optional[int] = None
    expected: Optional[int] = None
    found: Optional[int] = None

    @property
    def records(self) -> tuple[int, ...]:
        """The indices of the records that the violation concerns."""
        second = (self.second_tensor if self.kind in OF_TWO_RECORDS
                  else self.first_tensor)
        # Both fields may have the same record even if the kind uses both.
        both = dict.fromkeys((self.first_tensor, second))
        return tuple(record for record in both if record is not None)

    def __str__(self) -> str:
        return self.message

    def __repr__(self) -> str:
        return f"<Violation {self.kind.name}: {self.message}>"


def violation_of(found: _native.ViolationTuple) -> Violation:
    """Return the violation for a tuple from the native module."""
    message, kind, *numbers = found
    return Violation(ViolationKind(kind), message,
                     *(None if n == NONE else n for n in numbers))
