# SPDX-License-Identifier: Apache-2.0
"""What problems and searches say, beside plans."""

from __future__ import annotations

from dataclasses import dataclass

from stowage._plan import Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


@dataclass(frozen=True)
class Bound:
    """What every plan needs at least, and why."""

    bytes: int
    proof: Proof
    naive_size: int  # the bytes without any sharing


@dataclass(frozen=True)
class Progress:
    """The best plan and the best bound of a search so far."""

    total_size: int
    lower_bound: int
    nodes: int
    found_by: str


@dataclass(frozen=True)
class Verdict:
    """How many statements of a certificate hold, and what they say."""

    checked: int  # true of the plan
    proved: int  # true of all plans
    not_checked: int  # could be checked by a search alone
    text: str  # a line for each


def watch(progress: Callable[[Progress], object]
           ) -> Callable[[int, int, int, str], object]:
    """Return a function of numbers that calls one of Progress."""
    return lambda *numbers: progress(Progress(*numbers))
