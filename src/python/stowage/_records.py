# SPDX-License-Identifier: Apache-2.0
"""Conversion of tables and other inputs to records, and of texts to sizes.

In the library, both ends of an interval are inclusive. In a table, the name of
the last column shows whether the last task is inclusive. In any other input,
it is inclusive unless the caller passes `half_open`.
"""

from __future__ import annotations

from stowage._enums import NONE, Code
from stowage._errors import Error, Unsupported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_SIZE = ("size",)
_FIRST = ("first_task", "first", "lower", "start", "begin")
# Maps the name of a column to whether it holds the task after the last task
# (True) or the last task itself (False).
_LAST = {"last_task": False, "last": False, "end": False, "upper": True}

# Types that have no columns, so records_of() need not look for columns.
PLAIN = frozenset((list, tuple, memoryview))
_UNITS = {"": 1, "b": 1, "byte": 1, "bytes": 1, "kib": 2**10, "mib": 2**20,
          "gib": 2**30, "tib": 2**40, "kb": 10**3, "mb": 10**6, "gb": 10**9,
          "tb": 10**12}


def size_of(value: Any, name: str) -> Any:
    """Convert a text such as "1.5 MiB" to bytes; return others unchanged."""
    if not isinstance(value, str):
        return value
    text = value.strip(" ").replace("_", "")
    unit = text.lstrip("0123456789.")
    whole, _, part = text[:len(text) - len(unit)].partition(".")
    factor = _UNITS.get(unit.strip(" ").lower())
    # 100 digits are more than any valid number of bytes needs.
    if factor is None or not whole or "." in part or len(whole + part) > 100:
        raise Error(f"{name}: {value!r}; expected bytes, such as 4096 or "
                    "'1.5 MiB'")
    scale = 10 ** len(part)
    bytes_, rest = divmod(int(whole + part) * factor, scale)
    if rest:
        raise Error(f"{name}: {value!r} is not a whole number of bytes; "
                    "expected one")
    if bytes_ >= NONE:
        raise Error(f"{name}: {value!r}; expected less than 2^64 - 1 bytes",
                    Code.OUT_OF_RANGE)
    return bytes_


def is_number(value: Any) -> bool:
    """Return whether a value is a single integer of Python or NumPy."""
    return (hasattr(value, "__index__") and not isinstance(value, bool)
            and not getattr(value, "shape", ()))


def _is_table(source: Any) -> bool:
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):
        return True  # a data frame of any library
    return hasattr(source, "keys") and hasattr(source, "__getitem__")


def _column(names: list[Any], wanted: tuple[str, ...]) -> tuple[str, Any]:
    """Find the only wanted column; return its lower-case and its own name."""
    found = [(str(name).lower(), name) for name in names
             if str(name).lower() in wanted]
    if len(found) == 1:
        return found[0]
    raise Error(f"records: columns {sorted(map(str, names))}; expected "
                f"exactly one of {', '.join(wanted)}")


def _values(column: Any) -> Any:
    """Return a column of a data frame as an array, or else as a list."""
    to_numpy = getattr(column, "to_numpy", None)
    values = column if to_numpy is None else to_numpy()
    # The buffer of an array of objects holds pointers, not integers, but its
    # elements may still be integers.
    return list(values) if getattr(values, "dtype", None) == object else values


def _is_buffer(value: Any) -> bool:
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def records_of(source: Any, half_open: bool) -> tuple[Any, bool]:
    """Convert records to the form that the native module requires.

    Also return whether the intervals of the result are half-open.
    """
    if source is None or isinstance(source, (str, int, float, set)):
        raise Error(f"records: {type(source).__name__}; expected rows of size, "
                    "first task and last task, such as [(64, 0, 1)]")
    if not _is_table(source):
        return source, half_open
    names = list(source.columns if hasattr(source, "columns") else
                 source.keys())
    _, size = _column(names, _SIZE)
    _, first = _column(names, _FIRST)
    last, last_name = _column(names, tuple(_LAST))
    if half_open and not _LAST[last]:
        raise Error(f"half_open: the column '{last}' has last tasks; expected "
                    "the column 'upper', or half_open=False")
    columns = tuple(_values(source[name])
                    for name in (size, first, last_name))
    if not all(map(_is_buffer, columns)):
        rows = [list(column) for column in columns]
        if len({len(column) for column in rows}) > 1:
            raise Error("records: columns of "
                        f"{[len(column) for column in rows]} entries; "
                        "expected as many in each")
        return list(zip(*rows)), _LAST[last]
    return columns, _LAST[last]


def ids_of(to_text: Callable[[str], str]) -> tuple[str, ...]:
    """Return the ids of the records, which are available only in files."""
    try:
        import json
        rows = json.loads(to_text("json"))["records"]
    except Unsupported:  # a build without JSON, whose files are all CSV
        import csv
        import io
        # Names may contain line ends, which must not be translated.
        rows = list(csv.DictReader(io.StringIO(to_text("csv"), newline="")))
    return tuple(row["id"] for row in rows)
