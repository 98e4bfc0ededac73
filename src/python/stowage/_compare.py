# SPDX-License-Identifier: Apache-2.0
"""Comparison of the plans of several strategies."""

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
    """The plan of one strategy, or the error that it raised instead."""

    strategy: str
    plan: Optional[Plan]
    error: Optional[Error]

    def __repr__(self) -> str:
        return f"<Compared {self.strategy}: {self.plan or self.error!r}>"


def strategies() -> dict[str, Feature]:
    """Return the names of the library's strategies and their features.

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
    """Plan a problem with each strategy, and return the results in order.

    Parameters
    ----------
    problem
        The problem to plan.
    strategies
        Names of strategies or strategies in Python. None in this list means
        the default strategy for the kind of the problem. By default, all
        strategies of the library.
    options
        The options of :meth:`Problem.plan`.

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
