# SPDX-License-Identifier: Apache-2.0
"""Results of problems and searches other than plans."""

from __future__ import annotations

from dataclasses import dataclass

from stowage._plan import Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


@dataclass(frozen=True)
class Bound:
    """A number of bytes that every plan needs at least, and its proof."""

    bytes: int
    proof: Proof
    naive_size: int  # the size of a plan in which no records share bytes


@dataclass(frozen=True)
class Progress:
    """The best plan and the best bound that a search has found so far."""

    total_size: int
    lower_bound: int
    nodes: int
    found_by: str


@dataclass(frozen=True)
class Verdict:
    """The numbers of statements of a certificate that were checked."""

    checked: int  # statements about the plan that are true
    proved: int  # statements about all plans that are true
    not_checked: int  # statements that only a search could check
    text: str  # one line for each statement


def watch(progress: Callable[[Progress], object]
           ) -> Callable[[int, int, int, str], object]:
    """Return a function that passes its arguments on as a Progress."""
    return lambda *numbers: progress(Progress(*numbers))
