# SPDX-License-Identifier: Apache-2.0
"""Stacking orders that give safe offsets for all sizes of the records."""

from __future__ import annotations

from stowage import _native
from stowage._enums import NONE, STATUSES, Code, Status
from stowage._errors import Error
from stowage._records import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Union

    from stowage._problem import Problem


class StackPlan:
    """An order in which records are stacked, whatever their sizes are.

    Each record gets the lowest aligned offset at or above the ends of all
    records that precede it in the order and share a task with it.

    Parameters
    ----------
    records
        A problem, or records as for :func:`stowage.plan`. Only the first and
        last tasks are used. The sizes, and everything else that a problem
        specifies, are ignored.
    order
        The indices of the records, from the bottom to the top.
    alignment
        The alignment of all offsets in bytes. It must be a power of two.

    Examples
    --------
    >>> import stowage
    >>> plan = stowage.StackPlan([(0, 0, 1), (0, 1, 2), (0, 2, 3)],
    ...                          order=[1, 0, 2], alignment=16)
    >>> plan.offsets([5, 17, 64]).tolist()
    [32, 0, 32]
    >>> plan.total_size([5, 17, 64])
    96
    """

    _handle: _native.StackHandle

    def __init__(self, records: Union[Problem, Any], order: Any, *,
                 alignment: int = 1) -> None:
        from stowage._problem import Problem
        problem = records if isinstance(records, Problem) else Problem(records)
        self._handle = _native.stack(problem._handle, order, alignment)

    @classmethod
    def _of(cls, handle: _native.StackHandle) -> StackPlan:
        """Return the plan that a handle refers to."""
        plan = cls.__new__(cls)
        plan._handle = handle
        return plan

    def __len__(self) -> int:
        return _native.stack_info(self._handle)[0]

    @property
    def edges(self) -> int:
        """The number of pairs of records that an evaluation compares."""
        return _native.stack_info(self._handle)[1]

    @property
    def order(self) -> memoryview:
        """The indices of the records, from the bottom to the top."""
        return _native.stack_info(self._handle)[2]

    @property
    def reserve(self) -> Optional[int]:
        """The bytes that suffice for all values of the parameters, or None."""
        found = _native.stack_info(self._handle)[3]
        return None if found == NONE else found

    @property
    def lower_bound(self) -> Optional[int]:
        """A lower bound on the reserve of every plan, in bytes, or None.

        For some values of the parameters, every plan needs this many bytes.
        """
        found = _native.stack_info(self._handle)[4]
        return None if found == NONE else found

    @property
    def status(self) -> Status:
        """What is known about the reserve.

        OPTIMAL if the reserve equals the lower bound, else FEASIBLE. If the
        reserve exceeds the capacity of the problem, INFEASIBLE if the lower
        bound exceeds it as well, and OVER_CAPACITY otherwise.
        """
        return STATUSES[_native.stack_info(self._handle)[5]]

    def offsets(self, sizes: Any) -> memoryview:
        """Return the offset of each record in bytes.

        Parameters
        ----------
        sizes
            The size of each record in bytes: a list, or a buffer of integers
            such as a NumPy array.
        """
        return _native.stack_offsets(self._handle, sizes)[1]

    def total_size(self, sizes: Any) -> int:
        """Return the size of the arena in bytes for these record sizes."""
        return _native.stack_offsets(self._handle, sizes)[0]

    def table(self) -> bytes:
        """Return the order in the binary form of ``stowage/micro/stack.h``.

        Raises
        ------
        Unsupported
            If the records have different alignments, groups or fixed
            offsets.
        """
        return _native.stack_table(self._handle)

    def __repr__(self) -> str:
        reserve = self.reserve
        known = "" if reserve is None else f", {reserve} bytes suffice"
        return f"<StackPlan of {len(self)} records{known}>"


class DynamicProblem:
    """A problem in which the sizes of records depend on parameters.

    Parameters
    ----------
    source
        The problem as JSON in text or bytes, or as a dictionary of that form.

    Examples
    --------
    >>> import stowage
    >>> problem = stowage.DynamicProblem({
    ...     "parameters": {"seq": {"min": 1, "max": 512}},
    ...     "records": [
    ...         {"id": "q", "size": "64*seq", "lower": 0, "upper": 2},
    ...         {"id": "k", "size": "32*seq", "lower": 1, "upper": 3}]})
    >>> plan = problem.plan()
    >>> plan.reserve
    49152
    >>> plan.total_size(problem.sizes(seq=128))
    12288
    """

    _handle: _native.DynamicHandle

    def __init__(self, source: Union[str, bytes, Mapping[str, Any]]) -> None:
        if isinstance(source, str):
            text = source.encode()
        elif isinstance(source, (bytes, bytearray, memoryview)):
            text = bytes(source)
        else:
            import json
            text = json.dumps(source, allow_nan=False).encode()
        self._handle = _native.dynamic(text, "problem")

    def sizes(self, at: Optional[str] = None, /, **values: int) -> memoryview:
        """Return the size of each record in bytes.

        Parameters
        ----------
        at
            The name of a scenario, or a text that assigns a value to each
            parameter, such as ``"seq=128,batch=8"``. This argument is
            positional only, so a parameter may also be called ``at``.
        **values
            The value of each parameter, instead of `at`.

        Raises
        ------
        Error
            If a parameter has no value, or has a value that is not an integer
            or that the parameter cannot have.
        """
        if at is not None and values:
            raise Error("at: both a text and values; expected one of them",
                        Code.INVALID_ARGUMENT)
        if at is None:
            # A text such as "128,batch=8" would set other parameters too.
            for name, value in values.items():
                if not is_number(value):
                    raise Error(f"{name}: {value!r}; expected an integer")
            at = ",".join(f"{name}={int(value)}"
                          for name, value in values.items())
        return _native.dynamic_sizes(self._handle, at)

    def plan(self, *, max_orders: Optional[int] = None) -> StackPlan:
        """Find one order for all values of the parameters.

        Parameters
        ----------
        max_orders
            The maximum number of orders that the search evaluates, in addition
            to the few orders that it starts with. None means the default
            number.
        """
        return StackPlan._of(_native.dynamic_plan(
            self._handle, NONE if max_orders is None else max_orders))

    def stack(self) -> StackPlan:
        """Return the order that the ``stack`` fields of the source give."""
        return StackPlan._of(_native.dynamic_plan(self._handle, None))


def plan_dynamic(problem: Union[DynamicProblem, str, bytes, Mapping[str, Any]],
                 *, max_orders: Optional[int] = None) -> StackPlan:
    """Find one order for all values of the parameters of a problem.

    Parameters
    ----------
    problem
        A :class:`DynamicProblem`, or the source of one.
    max_orders
        As for :meth:`DynamicProblem.plan`.
    """
    if not isinstance(problem, DynamicProblem):
        problem = DynamicProblem(problem)
    return problem.plan(max_orders=max_orders)
