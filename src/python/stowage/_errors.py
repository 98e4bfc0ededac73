# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package.

Programs read the attributes of an error; its text is for people.
"""

from __future__ import annotations

from stowage._enums import NONE, Code, Feature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    from stowage._violation import Violation


class Error(ValueError):
    """What the library or the package has refused, or has failed to do.

    Attributes
    ----------
    code : Code
        What the error is about.
    records : tuple of int
        The indices of the records that are concerned, perhaps none.
    features : Feature
        What the problem requires and the strategy lacks.
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
    """The strategy or the format of a file lacks what the problem requires."""


class Infeasible(Error):
    """There is no plan: it is proved that none fits."""


class Unsafe(Error):
    """A plan is not safe.

    Attributes
    ----------
    violation : Violation or None
        The witness, where the error is about a plan of the whole problem.
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


# As users name them, in tracebacks too.
for _class in (Error, Unsupported, Infeasible, Unsafe):
    _class.__module__ = "stowage"


def error_of(code: int, record: int, other_record: int, features: int,
             message: str) -> Error:
    """Return the exception for an error of the native part."""
    records = tuple(r for r in (record, other_record) if r != NONE)
    kind = Unsupported if code == Code.UNIMPLEMENTED else Error
    return kind(message, Code(code), records, Feature(features))
