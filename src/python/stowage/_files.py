# SPDX-License-Identifier: Apache-2.0
"""Reading of problems and plans from CSV traces and JSON problem files."""

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
    """Return the content of a file, and its name for use in messages."""
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        return file.read(), name.encode(errors="replace").decode()


def read(path: Path, kind: Union[Kind, str] = Kind.OFFSETS) -> Problem:
    """Read a problem from a file.

    Parameters
    ----------
    path
        A trace in CSV or a problem in JSON. The format is detected from the
        content. A column ``upper`` holds the task after the last task of each
        record; a column ``end`` holds the last task itself. Recordings and
        models are read by the command alone: convert them with
        ``stowage trace FILE -o trace.csv``.
    kind
        "offsets" or "objects".

    Raises
    ------
    Error
        If the file does not contain a valid problem (the message has the
        line), or if `kind` has any other value.
    OSError
        If the file cannot be read.
    """
    kind = kind_of(kind)
    text, name = _text_of(path)
    requests = () if kind is Kind.OFFSETS else (kind_request(kind),)
    return _parsed(text, name, requests)


def read_plan(path: Path, kind: Union[Kind, str] = Kind.OFFSETS) -> Plan:
    """Read a problem and its plan from a file, and verify the plan.

    The arguments are those of :func:`read`.

    Raises
    ------
    Unsafe
        If the plan is not safe.
    Error
        If the file contains no plan or no valid problem.
    """
    problem = read(path, kind)
    source = problem._source
    assert source is not None
    return _given.adopted(problem, _native.file_plan(
        _native.parse(*source), KINDS.index(problem.kind)))
