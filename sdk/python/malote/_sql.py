"""Statements for any DB-API driver: each has its own placeholders.

A statement names its parameters $name; bind() writes them in a driver's style.
It knows no statement and runs none.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Dict, List, Mapping, Tuple, Union

_PARAMETER = re.compile(r"\$([a-z_]+)")

_STYLES = {
    "format": "%s",
    "pyformat": "%s",
    "qmark": "?",
    "numeric": ":{number}",
    "numeric_dollar": "${number}",  # asyncpg
    "named": ":p{number}",
}

Parameters = Union[List[Any], Dict[str, Any]]


def bind(statement: str, values: Mapping[str, Any], paramstyle: str) -> Tuple[str, Parameters]:
    """The statement with placeholders of the style, and the parameters for them.

    They are numbered in the order of the statement, a value once for every place,
    because format has no other way.
    """
    if paramstyle not in _STYLES:
        raise ValueError(f"unknown paramstyle {paramstyle!r}: use one of {', '.join(_STYLES)}")
    parameters: List[Any] = []

    def placeholder(found: "re.Match[str]") -> str:
        parameters.append(values[found[1]])
        return _STYLES[paramstyle].format(number=len(parameters))

    if paramstyle in ("format", "pyformat"):
        statement = statement.replace("%", "%%")
    text = _PARAMETER.sub(placeholder, statement)
    if paramstyle == "named":
        return text, {f"p{number}": value for number, value in enumerate(parameters, 1)}
    return text, parameters


def paramstyle_of(cursor: Any) -> str:
    """The style of the driver that the cursor comes from.

    DB-API has the driver's module say it. Wrappers, Django's for one, are in
    modules that do not, and take format.
    """
    for kind in type(cursor).__mro__:
        driver = sys.modules.get(kind.__module__.partition(".")[0])
        style = getattr(driver, "paramstyle", None)
        if style in _STYLES:
            return str(style)
    return "format"


def first_column(row: Any) -> Any:
    """The only value of a row, whichever way the cursor gives rows."""
    return next(iter(row.values())) if isinstance(row, Mapping) else row[0]


def sqlstate(error: BaseException) -> str:
    """The code of an error that came from the server, or ""."""
    for candidate in (error, error.__cause__):  # Django raises its own from the driver's
        for name in ("sqlstate", "pgcode"):
            code = getattr(candidate, name, None)
            if isinstance(code, str):
                return code
    return ""
