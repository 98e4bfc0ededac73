# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, which only type checkers import."""

from __future__ import annotations

from os import PathLike
from typing import (Any, Callable, Iterable, Mapping, Optional, Sequence,
                    TypedDict, Union)

from stowage._enums import Kind

Path = Union[str, bytes, "PathLike[str]", "PathLike[bytes]"]
Size = Union[int, str]
Rows = Iterable[Sequence[int]]
Group = Union[Iterable[int], Mapping[int, int]]
Pool = Union[str, int]
# A buffer or a sequence of integers.
Places = Any
Answer = Union[Places, tuple[Places, Places]]
AnyStrategy = Union[str, Callable[[Any], Answer], None]


class Requests(TypedDict, total=False):
    """The arguments of a problem other than records and alignments."""

    kind: Union[Kind, str]
    capacity: Optional[Size]
    fixed: Union[Mapping[int, int], Sequence[Optional[int]], None]
    ranges: Optional[Mapping[int, tuple[Size, Optional[Size]]]]
    groups: Union[Iterable[Group], Mapping[str, Group], None]
    optional_groups: bool
    holes: Optional[Rows]
    apart: Optional[Iterable[Iterable[int]]]
    never: Optional[Rows]
    prefer_apart: Optional[Rows]
    same_or_apart: Optional[Rows]
    pools: Union[Mapping[str, Optional[Size]],
                 Iterable[tuple[str, Optional[Size]]], None]
    choices: Optional[Mapping[int, Union[Iterable[Pool], Mapping[Pool, int]]]]
    edges: Optional[Rows]
    streams: Optional[Iterable[Iterable[int]]]
    waits: Optional[Rows]
    free_order: Optional[Rows]
    users: Optional[Iterable[Iterable[int]]]
    tasks: Optional[int]
    reallocation: Optional[Rows]
    place_first: Optional[Iterable[int]]
    names: Optional[Sequence[str]]
    operators: Optional[Sequence[str]]
