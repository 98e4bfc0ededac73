# SPDX-License-Identifier: Apache-2.0
"""Safe memory plans for tensors.

A plan assigns each tensor an offset in one arena. Tensors that are live at the
same time share no byte. Every plan is verified before it is returned.

>>> import stowage
>>> records = [(4096, 0, 2), (1024, 2, 4), (4096, 3, 4)]
>>> plan = stowage.plan(records, alignment=64)
>>> plan.offsets.tolist(), plan.total_size, plan.status.value
([0, 4096, 0], 5120, 'optimal')

A record is a tuple (size, first_task, last_task). Both tasks are inclusive.
"""

from __future__ import annotations

import atexit
import os

from stowage import _native

# Type checkers treat this name as true. Importing it from typing is slow.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from stowage._changes import (CacheStats, PlanCache, Replanned,
                                  problem_for_all, replan)
    from stowage._compare import Compared, compare, strategies
    from stowage._dynamic import DynamicProblem, StackPlan, plan_dynamic
    from stowage._enums import (Code, Feature, Kind, ProofKind, Status,
                                ViolationKind)
    from stowage._errors import Error, Infeasible, Unsafe, Unsupported
    from stowage._files import read, read_plan
    from stowage._plan import Plan, Proof
    from stowage._problem import Problem, plan
    from stowage._results import Bound, Progress, Verdict
    from stowage._strategy import Strategy
    from stowage._violation import Violation

__version__ = _native.version

__all__ = [
    "Bound", "CacheStats", "Code", "Compared", "DynamicProblem", "Error",
    "Feature", "Infeasible", "Kind", "Plan", "PlanCache", "Problem",
    "Progress", "Proof", "ProofKind", "Replanned", "StackPlan", "Status",
    "Strategy", "Unsafe", "Unsupported", "Verdict", "Violation",
    "ViolationKind", "compare", "plan", "plan_dynamic", "problem_for_all",
    "read", "read_plan", "replan", "strategies"]

# The names that each module defines. __getattr__ imports a module when one of
# its names is first used.
_MODULES = {
    "_changes": ("CacheStats", "PlanCache", "Replanned", "problem_for_all",
                 "replan"),
    "_compare": ("Compared", "compare", "strategies"),
    "_dynamic": ("DynamicProblem", "StackPlan", "plan_dynamic"),
    "_enums": ("Code", "Feature", "Kind", "ProofKind", "Status",
               "ViolationKind"),
    "_errors": ("Error", "Infeasible", "Unsafe", "Unsupported"),
    "_files": ("read", "read_plan"),
    "_plan": ("Plan", "Proof"),
    "_problem": ("Problem", "plan"),
    "_results": ("Bound", "Progress", "Verdict"),
    "_strategy": ("Strategy",),
    "_violation": ("Violation",),
}

atexit.register(_native.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_native.forget)


def __getattr__(name: str) -> object:
    for module, names in _MODULES.items():
        if name in names:
            found = getattr(__import__(f"stowage.{module}",
                                       fromlist=names), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'stowage' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
