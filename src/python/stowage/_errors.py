# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package.

Programs should use the attributes of an error, not parse its text.
"""

from __future__ import annotations

from stowage._enums import NONE, Code, Feature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    from stowage._violation import Violation


class Error(ValueError):
    """The library or the package refused an argument or failed.

    Attributes
    ----------
    code : Code
        The category of the error.
    records : tuple of int
        The indices of the records that caused the error; may be empty.
    features : Feature
        The features that the problem requires and the strategy lacks.
    """

    def __init__(self, message: str, code: Code = Code.INVALID_ARGUMENT,
                 records: tuple[int, ...] = (),
                 features: Feature = Feature(0)) -> None:
        super().__init__(message)
        self.code = code
        self.records = records
        self.features = features

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...]]:
        return type(self), (str(self), self.code, self.records, self.features)


class Unsupported(Error):
    """The strategy or the file format lacks what the problem requires."""


class Infeasible(Error):
    """It is proved that the problem has no plan."""


class Unsafe(Error):
    """A plan is not safe.

    Attributes
    ----------
    violation : Violation or None
        The violation in the plan, or None if it is unknown, for example
        because the plan is of a simpler problem derived from the given one.
    """

    def __init__(self, message: str, code: Code = Code.FAILED_PRECONDITION,
                 records: tuple[int, ...] = (),
                 features: Feature = Feature(0),
                 violation: Optional[Violation] = None) -> None:
        super().__init__(message, code, records, features)
        self.violation = violation

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[Any, ...]]:
        return type(self), (str(self), self.code, self.records, self.features,
                            self.violation)


# Tracebacks show the public names, such as stowage.Error.
for _class in (Error, Unsupported, Infeasible, Unsafe):
    _class.__module__ = "stowage"


def error_of(code: int, record: int, other_record: int, features: int,
             message: str) -> Error:
    """Return the exception for an error of the native module."""
    records = tuple(r for r in (record, other_record) if r != NONE)
    kind = Unsupported if code == Code.UNIMPLEMENTED else Error
    return kind(message, Code(code), records, Feature(features))
