# SPDX-License-Identifier: Apache-2.0
"""Conversion of the arguments of a problem to requests.

A request consists of a name, integers and texts, and is the form that the
native module requires. The integers are the concatenated rows of a table.
`native/requests.c` describes the rows for each name.
"""

from __future__ import annotations

from collections.abc import Mapping

from stowage._enums import KINDS, NONE, Code, Kind
from stowage._errors import Error
from stowage._records import is_number, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Iterator, Optional, Sequence

    from stowage._native import Request
    from stowage._types import Requests

    # All arguments of the problem. A function may replace an argument that can
    # be iterated only once by a list.
    Arguments = dict[str, Any]


def requests_of(given: Requests) -> tuple[Request, ...]:
    """Return the requests that the arguments of a problem describe."""
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
    """Raise Error if a list of fixed offsets does not have `count` entries."""
    if value is None or isinstance(value, Mapping):
        return
    if len(value) != count:
        raise Error(f"fixed: {len(value)} entries; expected {count}, one per "
                    "record")


def kind_of(value: Kind | str) -> Kind:
    """Convert a text to a Kind."""
    try:
        return Kind(value)
    except ValueError:
        raise Error(f"kind: {value!r}; expected 'offsets' or 'objects'"
                    ) from None


def kind_request(value: Kind | str) -> Request:
    """Return the request for offsets or shared objects."""
    return "kind", (KINDS.index(kind_of(value)),), ()


def _are_plain(numbers: Sequence[Any]) -> bool:
    """Return whether all numbers are of type int and fit in 64 bits."""
    return (not numbers or set(map(type, numbers)) == {int}
            and min(numbers) >= 0 and max(numbers) <= NONE)


def _check(numbers: Sequence[Any], place: str,
           records: tuple[int, ...] = ()) -> None:
    """Raise Error, with the place, for anything but a 64-bit integer."""
    if _are_plain(numbers):
        return
    for number in numbers:
        if not is_number(number):
            raise Error(f"{place}: {number!r}; expected an integer",
                        records=records)
        if number < 0:
            raise Error(f"{place}: {number!r}; expected 0 or more",
                        records=records)
        if number > NONE:
            raise Error(f"{place}: {number!r}; expected at most 2^64 - 1",
                        Code.OUT_OF_RANGE, records)


def list_of(value: Any, place: str, expected: str) -> list[Any]:
    """Return the entries of a list. Raise Error if it cannot be iterated."""
    entries = None
    if not isinstance(value, str):
        try:
            entries = iter(value)
        except TypeError:
            pass
    if entries is None:
        raise Error(f"{place}: {value!r}; expected {expected}")
    return list(entries)


def _items_of(value: Any, place: str, expected: str
              ) -> list[tuple[Any, Any]]:
    """Return the items of a mapping. Raise Error if it has none."""
    if not hasattr(value, "items"):
        raise Error(f"{place}: {value!r}; expected {expected}")
    return list(value.items())


def _flat(rows: Any, width: int, name: str,
          keys: Optional[Sequence[Any]] = None) -> tuple[Any, ...]:
    """Concatenate rows of `width` numbers.

    Messages identify a row by its key, or by its index if there are no keys.
    """
    def place(index: int) -> str:
        return f"{name}[{index if keys is None else keys[index]}]"

    flat: list[Any] = []
    for index, row in enumerate(list_of(rows, name, "a list of rows")):
        numbers = (row if type(row) is tuple else
                   list_of(row, place(index), f"{width} numbers"))
        if len(numbers) != width:
            raise Error(f"{place(index)}: {len(numbers)} numbers; expected "
                        f"{width}")
        flat.extend(numbers)
    # Most lists are valid, so check all numbers together first.
    if not _are_plain(flat):
        for begin in range(0, len(flat), width):
            _check(flat[begin:begin + width], place(begin // width))
    return tuple(flat)


def _kind(name: str, arguments: Arguments) -> Iterable[Request]:
    return (kind_request(arguments[name]),)


def _fixed(name: str, arguments: Arguments) -> Iterator[Request]:
    value = arguments[name]
    if isinstance(value, Mapping):
        rows = list(value.items())
    else:
        # The argument may be an iterator, but check_fixed() needs its length.
        arguments[name] = value = list_of(value, name, "a list of offsets")
        rows = [(record, offset) for record, offset in enumerate(value)
                if offset is not None]
    flat = _flat(rows, 2, name, [record for record, _ in rows])
    # The native module would interpret NONE as the absence of an offset.
    if NONE in flat[1::2]:
        record = flat[2 * flat[1::2].index(NONE)]
        raise Error(f"{name}[{record}]: {NONE}; expected less than 2^64 - 1 "
                    "bytes", Code.OUT_OF_RANGE, (record,))
    yield name, flat, ()


def _groups(name: str, arguments: Arguments) -> Iterator[Request]:
    value = arguments[name]
    if isinstance(value, Mapping):
        yield "group_names", (), tuple(value)
        value = value.values()
    rows: list[tuple[int, int, int]] = []
    for number, group in enumerate(list_of(value, name, "a list of groups")):
        if isinstance(group, Mapping):
            rows.extend((record, number, at) for record, at in group.items())
        else:
            rows.extend((record, number, 0) for record in list_of(
                group, f"{name}[{number}]", "a list of records"))
    # If a record were in two groups, the native module would keep only the
    # second.
    found: set[int] = set()
    for record, number, _ in rows:
        if record in found:
            raise Error(f"groups[{number}]: record {record} is in a group "
                        "already; expected it once at most",
                        records=(record,))
        found.add(record)
    yield name, _flat(rows, 3, name, [number for _, number, _ in rows]), ()


def _optional_groups(name: str, arguments: Arguments) -> Iterator[Request]:
    if arguments[name]:
        yield "groups_optional", (1,), ()


def _pair(value: Any, place: str, expected: str) -> tuple[Any, Any]:
    try:
        pair = () if isinstance(value, str) else tuple(value)
    except TypeError:
        pair = ()
    if len(pair) != 2:
        raise Error(f"{place}: {value!r}; expected {expected}")
    return pair[0], pair[1]


def _size(value: Any, name: str) -> Any:
    return NONE if value is None else size_of(value, name)


def _capacity(name: str, arguments: Arguments) -> Iterator[Request]:
    capacity = size_of(arguments[name], name)
    _check((capacity,), name)
    yield name, (capacity,), ()


def _ranges(name: str, arguments: Arguments) -> Iterator[Request]:
    rows: list[tuple[Any, ...]] = []
    for record, bounds in _items_of(arguments[name], name,
                                    "the bounds by record"):
        place = f"{name}[{record}]"
        low, high = _pair(bounds, place, "the first byte and the end")
        rows.append((record, size_of(low, place), _size(high, place)))
    yield name, _flat(rows, 3, name, [row[0] for row in rows]), ()


def _with_zero(rows: Any, width: int, name: str) -> list[tuple[Any, ...]]:
    """Add a zero to the rows that lack the last number, which is optional."""
    expected = f"{width - 1} or {width} numbers"
    widened: list[tuple[Any, ...]] = []
    for index, row in enumerate(list_of(rows, name, "a list of rows")):
        place = f"{name}[{index}]"
        numbers = list_of(row, place, expected)
        if len(numbers) not in (width - 1, width):
            raise Error(f"{place}: {len(numbers)} numbers; expected "
                        f"{width - 1} or {width}")
        widened.append((*numbers, 0)[:width])
    return widened


def _holes(name: str, arguments: Arguments) -> Iterator[Request]:
    # The pool of a hole is optional.
    yield name, _flat(_with_zero(arguments[name], 5, name), 5, name), ()


def _pool_rows(arguments: Arguments) -> list[tuple[str, Any]]:
    """Return the names and capacities of pools.

    The argument may be an iterator, so it is replaced by the result.
    """
    given = arguments.get("pools")
    if isinstance(given, Mapping):
        given = given.items()
    rows = [] if given is None else [
        _pair(row, "pools", "a name and a capacity")
        for row in list_of(given, "pools", "the capacities by name")]
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
    for record, allowed in _items_of(arguments[name], name,
                                     "the pools by record"):
        if isinstance(allowed, str):
            raise Error(f"choices[{record}]: the text {allowed!r}; expected a "
                        "list of pools", records=(record,))
        costs = (allowed if isinstance(allowed, Mapping) else
                 dict.fromkeys(list_of(allowed, f"choices[{record}]",
                                       "a list of pools"), 0))
        for pool, cost in costs.items():
            if isinstance(pool, str):
                if pool not in names:
                    raise Error(f"choices: the pool {pool!r}; expected one of "
                                f"{names}", records=(record,))
                pool = names.index(pool)
            rows.append((record, pool, cost))
    yield name, _flat(rows, 3, name, [row[0] for row in rows]), ()


def _user_rows(arguments: Arguments) -> list[tuple[int, ...]]:
    """Return the tasks that use each record.

    The argument may be an iterator, so it is replaced by the result.
    """
    if arguments.get("users") is None:
        return []
    rows = [tuple(list_of(tasks, f"users[{record}]", "a list of tasks"))
            for record, tasks in enumerate(
                list_of(arguments["users"], "users", "a list per record"))]
    arguments["users"] = rows
    return rows


def _order(name: str, arguments: Arguments) -> Iterator[Request]:
    edges = _flat(arguments[name], 2, name)
    tasks = arguments.get("tasks")
    if tasks is None:
        # Convert to int, because adding 1 to a NumPy integer can overflow.
        named = [int(task) for row in (edges, *_user_rows(arguments))
                 for task in row if is_number(task)]
        tasks = max(named, default=-1) + 1
    _check((tasks,), "tasks")
    yield name, (tasks, *edges), ()


def _users(name: str, arguments: Arguments) -> Iterator[Request]:
    for record, tasks in enumerate(_user_rows(arguments)):
        _check(tasks, f"{name}[{record}]", (record,))
        yield name, (record, *tasks), ()


def _tasks(name: str, arguments: Arguments) -> Iterable[Request]:
    # _order() includes the number of tasks in the request of an order.
    if arguments.get("edges") is None and arguments.get("free_order") is None:
        raise Error(f"{name}: {arguments[name]!r} without an order; expected "
                    "edges or free_order, too")
    return ()


def _sets(name: str, arguments: Arguments) -> Iterator[Request]:
    for index, row in enumerate(
            list_of(arguments[name], name, "a list of lists")):
        place = f"{name}[{index}]"
        numbers = tuple(list_of(row, place, "a list of integers"))
        _check(numbers, place)
        yield name, numbers, ()


def _pairs(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, _flat(arguments[name], 2, name), ()


def _triples(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, _flat(arguments[name], 3, name), ()


def _shared_places(name: str, arguments: Arguments) -> Iterator[Request]:
    # The number of bytes that need not be copied is optional.
    yield name, _flat(_with_zero(arguments[name], 3, name), 3, name), ()


def _numbers(name: str, arguments: Arguments) -> Iterator[Request]:
    numbers = list_of(arguments[name], name, "a list of integers")
    yield name, _flat([(n,) for n in numbers], 1, name), ()


def _texts(name: str, arguments: Arguments) -> Iterator[Request]:
    yield name, (), tuple(list_of(arguments[name], name, "a list of names"))


def _unless_none(add: Callable[[str, Arguments], Iterable[Request]]
                 ) -> Callable[[str, Arguments], Iterable[Request]]:
    """Extend a function so that it returns no request for None."""
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
