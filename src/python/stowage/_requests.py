# SPDX-License-Identifier: Apache-2.0
"""What a problem requires, as the native part takes it.

A request is a name, integers and texts. The integers are rows one after the
other; `native/requests.c` says for each name what a row has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stowage._enums import KINDS, NONE, Kind
from stowage._errors import Error
from stowage._records import size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator

    from stowage._native import Request
    from stowage._types import Requests

    # All arguments of the problem. A function may put a list in the place of
    # an argument that can be read only once.
    Arguments = dict[str, Any]


def requests_of(given: Requests) -> tuple[Request, ...]:
    """Return the requests of the arguments of a problem."""
    asked: list[Request] = []
    arguments: Any = given
    for name in arguments:
        add = _ADDERS.get(name)
        if add is None:
            raise TypeError("Problem() got an unexpected keyword argument "
                            f"'{name}'")
        asked.extend(add(name, arguments))
    return tuple(asked)


def check_fixed(value: Any, count: int) -> None:
    """Refuse a list of fixed offsets that is not one for each record."""
    if isinstance(value, Sequence) and len(value) != count:
        raise Error(f"fixed: {len(value)} entries; expected {count}, one per "
                    "record")


def kind_request(value: Kind | str) -> Request:
    """Return the request for offsets or shared objects."""
    try:
        return "kind", (KINDS.index(Kind(value)),), ()
    except ValueError:
        raise Error(f"kind: {value!r}; expected 'offsets' or 'objects'"
                    ) from None


def _flat(rows: Iterable[Iterable[Any]], width: int,
          name: str) -> tuple[Any, ...]:
    """Return rows of `width` numbers one after the other."""
    flat: list[Any] = []
    for index, row in enumerate(rows):
        numbers = tuple(row)
        if len(numbers) != width:
            raise Error(f"{name}[{index}]: {len(numbers)} numbers; expected "
                        f"{width}")
        flat.extend(numbers)
    return tuple(flat)


def _kind(name: str, arguments: Arguments) -> Iterable[Request]:
    return (kind_request(arguments[name]),)


def _fixed(name: str, arguments: Arguments) -> Iterator[Request]:
    value = arguments[name]
    if isinstance(value, Mapping):
        yield name, _flat(value.items(), 2, name), ()
        return
    rows = [(record, offset) for record, offset in enumerate(value)
            if offset is not None]
    yield name, _flat(rows, 2, name), ()


def _groups(name: str, arguments: Arguments) -> Iterator[Request]:
    value = arguments[name]
    if isinstance(value, Mapping):
        yield "group_names", (), tuple(value)
        value = value.values()
    rows: list[tuple[int, int, int]] = []
    for number, group in enumerate(value):
        if isinstance(group, Mapping):
            rows.extend((record, number, at) for record, at in group.items())
        else:
            rows.extend((record, number, 0) for record in group)
    # Where a record is in two groups, only the last would be kept.
    found: set[int] = set()
    for record, number, _ in rows:
        if record in found:
            raise Error(f"groups[{number}]: record {record} is in a group "
                        "already; expected it once at most",
                        records=(record,))
        found.add(record)
    yield name, _flat(rows, 3, name), ()


def _optional_groups(name: str, arguments: Arguments) -> Iterator[Request]:
    if arguments[name]:
        yield "groups_optional", (1,), ()


def _size(value: Any, name: str) -> Any:
    return NONE if value is None else size_of(value, name)


def _capacity(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, (size_of(arguments[name], name),), ()


def _ranges(name: str, arguments: Arguments) -> Iterator[Request]:
    rows = [(record, size_of(low, name), _size(high, name))
            for record, (low, high) in arguments[name].items()]
    yield name, _flat(rows, 3, name), ()


def _holes(name: str, arguments: Arguments) -> Iterator[Request]:
    # The pool of a hole may be left out.
    rows = [(*row, 0) if len(row) == 4 else tuple(row)
            for row in arguments[name]]
    yield name, _flat(rows, 5, name), ()


def _pool_rows(arguments: Arguments) -> list[tuple[str, Any]]:
    """Return names and capacities of pools, which may be read once alone."""
    given = arguments.get("pools")
    rows = list(given.items() if isinstance(given, Mapping) else given or ())
    if "pools" in arguments:
        arguments["pools"] = rows
    return rows


def _pools(name: str, arguments: Arguments) -> Iterator[Request]:
    rows = _pool_rows(arguments)
    yield (name, tuple(_size(size, name) for _, size in rows),
           tuple(text for text, _ in rows))


def _choices(name: str, arguments: Arguments) -> Iterator[Request]:
    names = [text for text, _ in _pool_rows(arguments)]
    rows: list[tuple[int, int, int]] = []
    for record, allowed in arguments[name].items():
        if isinstance(allowed, str):
            raise Error(f"choices[{record}]: the text {allowed!r}; expected a "
                        "list of pools", records=(record,))
        costs = (allowed if isinstance(allowed, Mapping)
                 else {pool: 0 for pool in allowed})
        for pool, cost in costs.items():
            if isinstance(pool, str):
                if pool not in names:
                    raise Error(f"choices: the pool {pool!r}; expected one of "
                                f"{names}", records=(record,))
                pool = names.index(pool)
            rows.append((record, pool, cost))
    yield name, _flat(rows, 3, name), ()


def _user_rows(arguments: Arguments) -> list[tuple[int, ...]]:
    """Return the tasks that use each record, which may be read once alone."""
    rows = [tuple(tasks) for tasks in arguments.get("users") or ()]
    if "users" in arguments:
        arguments["users"] = rows
    return rows


def _order(name: str, arguments: Arguments) -> Iterator[Request]:
    edges = _flat(arguments[name], 2, name)
    tasks = arguments.get("tasks")
    if tasks is None:
        named = [task for row in (edges, *_user_rows(arguments))
                 for task in row if isinstance(task, int)]
        tasks = max(named, default=-1) + 1
    yield name, (tasks, *edges), ()


def _users(name: str, arguments: Arguments) -> Iterator[Request]:
    for record, tasks in enumerate(_user_rows(arguments)):
        yield name, (record, *tasks), ()


def _tasks(name: str, arguments: Arguments) -> Iterable[Request]:
    return ()  # a number in the request of an order


def _sets(name: str, arguments: Arguments) -> Iterator[Request]:
    for numbers in arguments[name]:
        yield name, tuple(numbers), ()


def _pairs(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, _flat(arguments[name], 2, name), ()


def _triples(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, _flat(arguments[name], 3, name), ()


def _shared_places(name: str, arguments: Arguments) -> Iterator[Request]:
    # The number of bytes that need not be copied may be left out.
    rows = [(*row, 0) if len(row) == 2 else tuple(row)
            for row in arguments[name]]
    yield name, _flat(rows, 3, name), ()


def _numbers(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, tuple(arguments[name]), ()


def _texts(name: str, arguments: Arguments) -> Iterator[Request]:
    value = arguments[name]
    if isinstance(value, str):
        raise Error(f"{name}: {value!r}; expected a list of names")
    yield name, (), tuple(value)


def _unless_none(add: Callable[[str, Arguments], Iterable[Request]]
                 ) -> Callable[[str, Arguments], Iterable[Request]]:
    """Return a function for an argument that may be None, for no request."""
    return lambda name, arguments: (
        () if arguments[name] is None else add(name, arguments))


_ADDERS: dict[str, Callable[[str, Arguments], Iterable[Request]]] = {
    "kind": _kind}
_ADDERS.update((name, _unless_none(add)) for name, add in {
    "capacity": _capacity, "fixed": _fixed, "ranges": _ranges,
    "groups": _groups, "optional_groups": _optional_groups, "holes": _holes,
    "apart": _sets, "never": _pairs, "prefer_apart": _triples,
    "same_or_apart": _shared_places,
    "pools": _pools, "choices": _choices, "edges": _order,
    "free_order": _order, "streams": _sets, "waits": _pairs, "users": _users,
    "tasks": _tasks, "reallocation": _pairs, "place_first": _numbers,
    "names": _texts, "operators": _texts}.items())
