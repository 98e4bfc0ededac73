# SPDX-License-Identifier: Apache-2.0
"""Plans, which are the results of strategies for problems."""

from __future__ import annotations

from dataclasses import dataclass, field

from stowage import _native
from stowage._enums import NONE, STATUSES, Code, Kind, ProofKind, Status
from stowage._errors import Error, Infeasible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    from stowage._problem import Problem
    from stowage._types import Path

    Texts = tuple[str, str, str, tuple[int, ...]]

# Sets an attribute of an instance of a frozen dataclass.
_set = object.__setattr__


@dataclass(frozen=True)
class Proof:
    """The proof that no plan can be smaller than the lower bound."""

    kind: ProofKind
    # A task, a record, a set or a number of records, depending on the kind.
    index: Optional[int]

    @classmethod
    def _of(cls, kind: int, index: int) -> Proof:
        """Return the proof for two numbers from the native module."""
        return cls(ProofKind(kind), None if index == NONE else index)

    def __str__(self) -> str:
        return _native.describe(self.kind,
                                NONE if self.index is None else self.index)

    def __repr__(self) -> str:
        return f"<Proof {self.kind.name}: {self}>"


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A verified plan of a problem, or the reason why there is no plan.

    Plans are immutable. They are made by :func:`stowage.plan`,
    :meth:`Problem.plan`, :meth:`Problem.incumbent` and
    :func:`stowage.read_plan`. Lists are read-only memoryviews of the library's
    memory, which NumPy can use without a copy.

    Examples
    --------
    >>> import stowage
    >>> plan = stowage.plan([(4096, 0, 2), (1024, 2, 4), (4096, 3, 4)])
    >>> plan
    <Plan optimal: 5120 bytes for 3 records by skyline>
    >>> plan.offsets.tolist()
    [0, 4096, 0]
    """

    problem: Problem
    _handle: _native.SolutionHandle
    # Caches of values of the library, which are filled when first used.
    _numbers: Optional[_native.Summary] = field(default=None, init=False)
    _texts: Optional[Texts] = field(default=None, init=False)
    _lists: Optional[_native.PlanLists] = field(default=None, init=False)

    # ---- Status, size and bounds

    @property
    def _summary(self) -> _native.Summary:
        if self._numbers is None:
            _set(self, "_numbers", _native.summary(self._handle))
        found = self._numbers
        assert found is not None
        return found

    @property
    def status(self) -> Status:
        """The status of the plan, or the reason why there is no plan."""
        return STATUSES[self._summary[0]]

    @property
    def kind(self) -> Kind:
        """Whether records have offsets or shared objects."""
        return self.problem.kind

    @property
    def has_plan(self) -> bool:
        """Whether there is a plan."""
        return self._summary[0] <= 1

    @property
    def total_size(self) -> int:
        """The size of the plan in bytes, or 0 if there is no plan.

        If the status is OVER_CAPACITY, this is the size of the plan that
        exceeded the capacity.
        """
        return self._summary[4]

    @property
    def lower_bound(self) -> int:
        """The number of bytes that every plan needs at least."""
        return self._summary[5]

    @property
    def gap(self) -> int:
        """The bytes by which the plan exceeds the lower bound.

        It is 0 if there is no plan.
        """
        above = self.total_size - self.lower_bound
        return max(0, above) if self.has_plan else 0

    @property
    def proof(self) -> Proof:
        """The proof of the lower bound."""
        return Proof._of(*self._summary[2:4])

    @property
    def cost(self) -> int:
        """The cost of the plan, from the costs of pools and preferences."""
        return self._summary[6]

    @property
    def cost_bound(self) -> int:
        """A lower bound on the cost of every plan."""
        return self._summary[7]

    @property
    def nodes(self) -> int:
        """The number of nodes that were searched.

        To get the same plan again, pass the same node budget, not this number.
        """
        return self._summary[8]

    @property
    def seed(self) -> int:
        """The seed of the search."""
        return self._summary[9]

    @property
    def seconds(self) -> float:
        """The duration of the strategy's own call, in seconds."""
        return self._summary[10] / 1e9

    # ---- Places of the records

    def _read_lists(self) -> _native.PlanLists:
        """Return the size and the lists of the plan, or raise an error."""
        found: Optional[_native.PlanLists] = self._lists
        if found is None and self._handle is not None:
            found = _native.plan(self._handle)
            _set(self, "_lists", found)
        if found is None:
            error = Infeasible if self.status is Status.INFEASIBLE else Error
            raise error(f"there is no plan: {self.reason}",
                        Code.FAILED_PRECONDITION, self.conflict)
        return found

    def _needed(self, view: Optional[memoryview], name: str) -> memoryview:
        if view is None and len(self.problem) == 0:
            return memoryview(b"").cast("Q")
        if view is None:
            raise Error(f"{name}: this plan has none; expected a problem that "
                        "asks for them", Code.FAILED_PRECONDITION)
        return view

    @property
    def offsets(self) -> memoryview:
        """The offset of each record in bytes.

        Raises
        ------
        Infeasible
            If it is proved that there is no plan.
        Error
            If no plan was found, or if the plan has shared objects.
        """
        view = self._read_lists()[1]
        return view if view is not None else self._needed(view, "offsets")

    @property
    def pools(self) -> memoryview:
        """The number of the pool of each record."""
        return self._needed(self._read_lists()[2], "pools")

    @property
    def objects(self) -> memoryview:
        """The number of the shared object of each record."""
        return self._needed(self._read_lists()[3], "objects")

    @property
    def object_sizes(self) -> memoryview:
        """The size of each shared object in bytes."""
        return self._needed(self._read_lists()[4], "object_sizes")

    @property
    def order(self) -> memoryview:
        """The tasks in the order that the plan has chosen."""
        return self._needed(self._read_lists()[5], "order")

    # ---- Explanations

    def _text(self) -> Texts:
        if self._texts is None:
            *texts, conflict = _native.texts(self._handle)
            _set(self, "_texts", (*texts, tuple(conflict.tolist())))
        found = self._texts
        assert found is not None
        return found

    @property
    def reason(self) -> str:
        """A text that explains the status, meant for people."""
        return self._text()[0]

    @property
    def strategy(self) -> str:
        """The name of the strategy that made the plan."""
        return self._text()[1]

    @property
    def found_by(self) -> str:
        """The name of the part of the strategy that found the plan."""
        return self._text()[2]

    @property
    def conflict(self) -> tuple[int, ...]:
        """The indices of records that no plan can place together.

        This holds even if all other records are removed. The tuple is empty if
        no such conflict is known.
        """
        return self._text()[3]

    @property
    def conflict_is_irreducible(self) -> bool:
        """Whether the conflict disappears if any one record is removed."""
        return bool(self._summary[11])

    # ---- Tables and pictures

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row for each record."""
        from stowage import _picture
        self._read_lists()
        return _picture.frame(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the plan into Matplotlib axes, and return the axes.

        New axes are created by default.
        """
        from stowage import _picture
        self._read_lists()
        return _picture.plot(self, ax)

    def _repr_svg_(self) -> Optional[str]:
        from stowage import _picture
        return _picture.svg(self)

    def _repr_html_(self) -> str:
        from stowage import _picture
        return _picture.html(self)

    # ---- Files and proofs

    def save(self, path: Path) -> None:
        """Write the problem and the plan to a file.

        The file is written either completely or not at all.

        Parameters
        ----------
        path
            The name of the file. If it ends with ``.json``, the file is a
            problem file, otherwise a trace in CSV.
        """
        self._read_lists()
        self.problem.save(path, self)

    def certificate(self) -> bytes:
        """Return the proof of the plan as text that a program can check.

        Raises
        ------
        Unsupported
            If this library was built without certificates.
        Error
            If nothing is proved, or if this plan was unpickled, because
            pickling omits the proof.
        """
        held = self._handle
        if held is None or _native.summary(held)[:8] != self._summary[:8]:
            raise Error("the plan was pickled, which leaves out its proof; "
                        "expected the plan that the strategy returned",
                        Code.FAILED_PRECONDITION)
        return _native.certificate(self.problem._handle, held)

    def _held(self, subject: str = "") -> _native.SolutionHandle:
        """Return the handle, or raise an error if there is none.

        A result without a plan has no handle after it was unpickled.
        """
        if self._handle is None:
            raise Error(f"{subject}there is no plan",
                        Code.FAILED_PRECONDITION)
        return self._handle

    # ---- Comparison, copying and pickling

    def _values(self) -> tuple[Any, ...]:
        lists = self._read_lists()[1:] if self.has_plan else ()
        return (self.problem, self._summary[:8],
                *(None if view is None else bytes(view) for view in lists))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plan):
            return NotImplemented
        return self is other or self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __copy__(self) -> Plan:
        return self

    def __deepcopy__(self, memo: object) -> Plan:
        return self

    def __reduce__(self) -> tuple[Callable[..., Plan], tuple[Any, ...]]:
        _, _, *lists = self._values()
        return _restored, (self.problem, self._summary, self._text(), lists)

    def __repr__(self) -> str:
        size = f"{self.total_size} bytes for " if self.has_plan else ""
        by = f" by {self.strategy}" if self.strategy else ""
        return (f"<Plan {self.status.value}: {size}{len(self.problem)} "
                f"records{by}>")


def plan_of(problem: Problem, handle: _native.SolutionHandle,
            numbers: Optional[_native.Summary] = None,
            texts: Optional[Texts] = None) -> Plan:
    """Create a plan in half the time that a call of the class takes."""
    plan = Plan.__new__(Plan)
    _set(plan, "problem", problem)
    _set(plan, "_handle", handle)
    if texts is not None:
        _set(plan, "_numbers", numbers)
        _set(plan, "_texts", texts)
    return plan


def _restored(problem: Problem, numbers: _native.Summary, texts: Texts,
              lists: list[Any]) -> Plan:
    """Restore a pickled plan, and verify the plan again."""
    given: Any = (numbers[4], *lists)
    handle: Any = _native.solution(problem._handle, given) if lists else None
    return plan_of(problem, handle, numbers, texts)
