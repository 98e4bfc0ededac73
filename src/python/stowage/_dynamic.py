# SPDX-License-Identifier: Apache-2.0
"""Orders that give safe offsets for sizes that change from run to run."""

from __future__ import annotations

from stowage import _native
from stowage._enums import NONE, Code
from stowage._errors import Error
from stowage._records import is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Union

    from stowage._problem import Problem


class StackPlan:
    """An order in which records are stacked, for any sizes.

    A record lies at the lowest aligned offset that is not below the end of any
    record that comes before it in the order and is live at the same time.

    Parameters
    ----------
    records
        A problem, or records as for :func:`stowage.plan`. The sizes, and all
        that a problem asks for beyond its records, are ignored.
    order
        The records by index, from the bottom to the top.
    alignment
        The alignment of all offsets in bytes, a power of two.

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
        """Return the plan of a handle."""
        plan = cls.__new__(cls)
        plan._handle = handle
        return plan

    def __len__(self) -> int:
        return _native.stack_info(self._handle)[0]

    @property
    def edges(self) -> int:
        """The pairs of records of which an evaluation looks at both."""
        return _native.stack_info(self._handle)[1]

    @property
    def order(self) -> memoryview:
        """The records from the bottom to the top."""
        return _native.stack_info(self._handle)[2]

    @property
    def reserve(self) -> Optional[int]:
        """Bytes that suffice for all values of the parameters, if known."""
        found = _native.stack_info(self._handle)[3]
        return None if found == NONE else found

    @property
    def lower_bound(self) -> Optional[int]:
        """Bytes that every plan needs for some value, if known."""
        found = _native.stack_info(self._handle)[4]
        return None if found == NONE else found

    def offsets(self, sizes: Any) -> memoryview:
        """Return the offset of each record in bytes.

        Parameters
        ----------
        sizes
            The size of each record in bytes: a list, or a buffer of integers
            such as an array of NumPy.
        """
        return _native.stack_offsets(self._handle, sizes)[1]

    def total_size(self, sizes: Any) -> int:
        """Return the bytes of the arena for these sizes."""
        return _native.stack_offsets(self._handle, sizes)[0]

    def table(self) -> bytes:
        """Return the order as bytes for ``stowage/micro/stack.h``.

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
    """A problem whose sizes follow from parameters.

    Parameters
    ----------
    source
        The problem in JSON, as text or bytes, or a dictionary of the same form.

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
            The name of a scenario, or values as text: ``"seq=128,batch=8"``.
            A parameter may have the name of this argument.
        **values
            Instead, a value of each parameter.

        Raises
        ------
        Error
            For a parameter without a value, and for a value that is not an
            integer or not a value of the parameter.
        """
        if at is not None and values:
            raise Error("at: a text beside values; expected one of them",
                        Code.INVALID_ARGUMENT)
        if at is None:
            # Texts could hold values of other parameters.
            for name, value in values.items():
                if not is_number(value):
                    raise Error(f"{name}: {value!r}; expected an integer")
            at = ",".join(f"{name}={int(value)}"
                          for name, value in values.items())
        return _native.dynamic_sizes(self._handle, at)

    def plan(self, *, max_orders: Optional[int] = None) -> StackPlan:
        """Find an order for all values of the parameters.

        Parameters
        ----------
        max_orders
            How many orders the search evaluates at most, beyond those that it
            begins with.
        """
        return StackPlan._of(_native.dynamic_plan(
            self._handle, NONE if max_orders is None else max_orders))

    def stack(self) -> StackPlan:
        """Return the order that the source has, in the fields ``stack``."""
        return StackPlan._of(_native.dynamic_plan(self._handle, None))


def plan_dynamic(problem: Union[DynamicProblem, str, bytes, Mapping[str, Any]],
                 *, max_orders: Optional[int] = None) -> StackPlan:
    """Find an order for all values of the parameters of a problem.

    Parameters
    ----------
    problem
        A problem with parameters, or what makes one.
    max_orders
        As for :meth:`DynamicProblem.plan`.
    """
    if not isinstance(problem, DynamicProblem):
        problem = DynamicProblem(problem)
    return problem.plan(max_orders=max_orders)
