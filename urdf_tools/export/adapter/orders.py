"""In which order a program has the joints of the result: that of a simulator, or of a file with one name a line."""
import os
from typing import Dict, List, Sequence

from ...base.errors import did_you_mean, UsageError
from ...base.files import read_file

ORDERS = ("ros", "mujoco", "isaac", "newton", "physx_usd", "newton_usd")  # words of `joint_orders`


def joints_in_order(asked: str, orders: Dict[str, List[str]]) -> List[str]:
    """Return the names of the joints that move, in the order that is asked for.

    Args:
        asked: one of the words of the report, or the name of a file.
        orders: what the report has of the result.

    Raises:
        UsageError: the file cannot be read, or has not each joint once; with line.
    """
    if asked in ORDERS:
        return orders[asked]
    if not os.path.exists(asked):
        raise UsageError(f"--adapter-order {asked}: there is no such file, and no such word ({', '.join(ORDERS)})"
                         f"{did_you_mean(asked, ORDERS)}")
    return _in_file(asked, orders["ros"])


def _in_file(path: str, names: Sequence[str]) -> List[str]:
    """Return the names that a file has, one a line; blank lines and those that begin with # say nothing."""
    lines: Dict[str, int] = {}
    for number, line in enumerate(read_file(path).decode("utf-8", "replace").lstrip("\ufeff").splitlines(), 1):
        name = line.strip()
        if not name or name.startswith("#"):
            continue
        if name in lines:
            raise UsageError(f"joint '{name}' stands in line {lines[name]} already", path, number)
        if name not in names:
            raise UsageError(f"the result has no joint '{name}' that moves{did_you_mean(name, names)}", path, number)
        lines[name] = number
    missing = [name for name in names if name not in lines]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise UsageError(f"joint '{missing[0]}'{more} of the result is missing: each that moves has a line", path, 0)
    return list(lines)
