# SPDX-License-Identifier: Apache-2.0
"""Problems and plans in files: traces in CSV, and problem files in JSON."""

from __future__ import annotations

import os

from stowage import _given, _native
from stowage._enums import KINDS, Kind
from stowage._problem import Problem, _parsed
from stowage._requests import kind_of, kind_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    from stowage._plan import Plan
    from stowage._types import Path


def _text_of(path: Path) -> tuple[bytes, str]:
    """Return the bytes of a file, and its name as messages show it."""
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        return file.read(), name.encode(errors="replace").decode()


def read(path: Path, kind: Union[Kind, str] = Kind.OFFSETS) -> Problem:
    """Return the problem of a file.

    Parameters
    ----------
    path
        A trace in CSV or a problem in JSON; which, its content says. A column
        ``upper`` is one past the last task, ``end`` the last task itself.
    kind
        "offsets" or "objects".

    Raises
    ------
    Error
        With the line, if the text is not a problem; for any other kind, too.
    OSError
        If the file cannot be read.
    """
    kind = kind_of(kind)
    text, name = _text_of(path)
    requests = () if kind is Kind.OFFSETS else (kind_request(kind),)
    return _parsed(text, name, requests)


def read_plan(path: Path, kind: Union[Kind, str] = Kind.OFFSETS) -> Plan:
    """Return the plan of a file, which is verified.

    Raises
    ------
    Unsafe
        If it is not safe.
    Error
        If the file has no plan, or is not a problem.
    """
    problem = read(path, kind)
    source = problem._source
    assert source is not None
    return _given.adopted(problem, _native.file_plan(
        _native.parse(*source), KINDS.index(problem.kind)))
