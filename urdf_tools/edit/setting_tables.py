"""Tables of settings: `--set @limits.csv`, with a row for each setting, or a row for each joint."""

from __future__ import annotations

import csv
from typing import Collection, Iterator, List, Sequence

from ..base.errors import did_you_mean, UsageError
from ..base.file_reading import read_file
from .setting_words import GlobSetting

LONG = ("joint", "field", "value")
FIRST = ("joint", "name", "link")
ADVICE = (
    "the first row names the columns: joint,field,value, or joint and the fields, such as "
    "joint,lower,upper,velocity"
)


def read_set_table(path: str, keys: Collection[str]) -> List[GlobSetting]:
    """Return the settings of a CSV file, each with its line; the columns may be parted by commas, semicolons or tabs.

    Raises:
        UsageError: the file cannot be read, or a column or field does not exist.
    """
    try:
        text = read_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("this is not UTF-8: save the table as CSV in UTF-8", path) from None
    lines = text.splitlines()
    first_line = lines[0] if lines else ""
    # Spreadsheets of countries with decimal commas write semicolons.
    delimiter = next((mark for mark in ";\t" if mark in first_line), ",")
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        _check_header(path, header, keys)
        settings: List[GlobSetting] = []
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                settings += _settings_of_row(path, reader.line_num, header, cells)
    except csv.Error as error:
        raise UsageError(str(error), path, reader.line_num) from None
    for setting in settings:
        if setting.key not in keys:
            raise UsageError(
                f"there is no '{setting.key}' to set{did_you_mean(setting.key, tuple(keys))}; "
                f"there are {', '.join(keys)}",
                path,
                setting.line,
            )
    if not settings:
        raise UsageError(f"the table has no row with a value: {ADVICE}", path)
    return settings


def _check_header(path: str, header: Sequence[str], keys: Collection[str]) -> None:
    """Refuse a first row that does not name the columns."""
    if tuple(header) == LONG:
        return
    if len(header) < 2 or header[0] not in FIRST:
        raise UsageError(ADVICE, path, 1)
    for name in header[1:]:
        if name not in keys:
            raise UsageError(
                f"there is no column '{name}'{did_you_mean(name, tuple(keys))}", path, 1
            )


def _settings_of_row(
    path: str, line: int, header: Sequence[str], cells: Sequence[str]
) -> Iterator[GlobSetting]:
    """Yield the settings of a row; an empty cell sets nothing."""
    if len(cells) != len(header):
        raise UsageError(
            f"this row has {len(cells)} cells, and the first row has {len(header)}", path, line
        )
    name, *values = cells
    pairs = [(values[0], values[1])] if tuple(header) == LONG else list(zip(header[1:], values))
    for key, value in pairs:
        if value:
            yield GlobSetting(
                glob=name,
                key=key,
                value=value,
                more={},
                words=f"{name}.{key}={value}",
                path=path,
                line=line,
            )
