# SPDX-License-Identifier: Apache-2.0
"""Enumerations for the named constants of the library."""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag


class Code(IntEnum):
    """The code of an error. `stowage/c/error.h` explains each code."""

    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Feature(IntFlag):
    """Features that a problem may require and a strategy may support."""

    OFFSETS = 1
    OBJECTS = 2
    REALLOCATION_GRAPH = 4
    FIXED_OFFSETS = 8
    PLACES = 16
    GROUPS = 32
    APART = 64
    POOLS = 128
    PARTIAL_ORDER = 256


class Kind(Enum):
    """The kind of place that a plan assigns to each record."""

    OFFSETS = "offsets"
    OBJECTS = "objects"


class Status(Enum):
    """The status of a plan, or the reason why there is no plan."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    OVER_CAPACITY = "over_capacity"
    INFEASIBLE = "infeasible"
    TIME_LIMIT = "time_limit"


class ProofKind(IntEnum):
    """The kind of proof that no plan can be smaller than a bound."""

    NONE = 0
    NO_BYTES = 1
    BYTES_LIVE = 2
    BYTES_HELD = 3
    BYTES_LIVE_AROUND_HOLES = 4
    BYTES_HELD_AROUND_HOLES = 5
    POSITIONAL_MAXIMUMS = 6
    LARGEST_RECORD = 7
    FIXED_END = 8
    ONLY_PLACE = 9
    LOWEST_PLACE = 10
    ROOM_AROUND_FIXED = 11
    APART_SET = 12
    ANTICHAIN = 13
    POOLS = 14
    POOLS_OF_COST = 15
    CHAIN_WEIGHTS = 16
    SEARCH = 17
    ANY_ORDER = 18
    ALL_ORDERS = 19
    COST_OF_SMALLER = 20
    ALL_CHOICES = 21


class ViolationKind(IntEnum):
    """The rule that an unsafe plan violates."""

    INVALID_RECORD = 1
    INVALID_ALIGNMENT = 2
    COUNT_MISMATCH = 3
    UNKNOWN_OBJECT = 4
    OBJECT_TOO_SMALL = 5
    MISALIGNED = 6
    BEYOND_ARENA = 7
    OVERLAPPING_BYTES = 8
    SHARED_OBJECT = 9
    NOT_AT_FIXED_OFFSET = 10
    OUTSIDE_RANGE = 11
    GROUP_BROKEN = 12
    IN_HOLE = 13
    NOT_APART = 14
    WRONG_POOL = 15
    BEYOND_POOL = 16
    BEYOND_CAPACITY = 17
    UNORDERED_SHARING = 18
    SHARED_IN_PART = 19


# The C interface represents a kind or a status by its index in these tuples.
KINDS = tuple(Kind)
STATUSES = tuple(Status)

# The value of STOWAGE_NONE: the C interface uses it where a number is absent.
NONE = 2**64 - 1
