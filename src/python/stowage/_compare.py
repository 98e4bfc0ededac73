# SPDX-License-Identifier: Apache-2.0
"""Strategies side by side."""

from __future__ import annotations

from dataclasses import dataclass

from stowage import _native
from stowage._enums import Feature, Kind
from stowage._errors import Error
from stowage._strategy import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Optional

    from stowage._plan import Plan
    from stowage._problem import Problem
    from stowage._types import AnyStrategy


@dataclass(frozen=True, repr=False)
class Compared:
    """The plan of one strategy, or why it has none."""

    strategy: str
    plan: Optional[Plan]
    error: Optional[Error]

    def __repr__(self) -> str:
        return f"<Compared {self.strategy}: {self.plan or self.error!r}>"


def strategies() -> dict[str, Feature]:
    """Return the strategies of the library, and what each supports.

    Examples
    --------
    >>> import stowage
    >>> stowage.Feature.OFFSETS in stowage.strategies()["skyline"]
    True
    """
    return {name: Feature(bits) for name, bits in _native.strategies()}


def compare(problem: Problem,
            strategies: Optional[Iterable[AnyStrategy]] = None,
            **options: Any) -> list[Compared]:
    """Return a row for each strategy, in their order.

    Parameters
    ----------
    problem
        What each of them plans.
    strategies
        Names and strategies in Python, and None for the default of the kind;
        all of the library by default.
    options
        Those of :meth:`Problem.plan`.

    Examples
    --------
    >>> import stowage
    >>> problem = stowage.Problem([(64, 0, 1), (64, 1, 2), (64, 2, 3)])
    >>> for row in stowage.compare(problem, ["naive", "skyline"]):
    ...     print(row.strategy, row.plan.total_size)
    naive 192
    skyline 128
    """
    if strategies is None:
        strategies = [name for name, _ in _native.strategies()]
    default = "greedy_best" if problem.kind is Kind.OBJECTS else "skyline"
    rows = []
    for strategy in strategies:
        name = default if strategy is None else name_of(strategy)
        try:
            plan = problem.plan(strategy, **options)
            rows.append(Compared(name, plan, None))
        except Error as error:
            rows.append(Compared(name, None, error))
    return rows
