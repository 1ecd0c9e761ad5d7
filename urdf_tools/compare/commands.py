"""What the commands that simplify nothing have in common: the options that they know, and the files that they write."""
import argparse
from typing import Collection, Mapping, Optional, Sequence

from ..base.errors import UsageError
from ..base.option_table import check_needs, given_values, Option, read_choice
from ..base.transaction import Transaction
from ..cli.arguments import option_rows, parse_arguments


def parse_only(words: Sequence[str], options: Sequence[Option], known: Collection[str], reason: str
               ) -> argparse.Namespace:
    """Return the arguments of a command line that may give no options but the known ones.

    Raises:
        UsageError: it gives another (the sentence begins with the reason), or a value that none can have.
    """
    arguments, rows = parse_arguments(words, options), option_rows(options)
    for row in rows:
        if row.name not in known and given_values([row], vars(arguments)):
            raise UsageError(f"{reason}, so it takes no {row.spelling}")
        if row.name in known and row.read:
            setattr(arguments, row.name, read_choice(row, getattr(arguments, row.name), row.spelling))
    check_needs(rows, vars(arguments))
    return arguments


def write_all(files: Mapping[Optional[str], bytes]) -> None:
    """Write the files that are asked for, which have a path: all or none."""
    asked = {path: data for path, data in files.items() if path}
    if asked:
        with Transaction() as transaction:
            for path, data in asked.items():
                transaction.add(path, data)
            transaction.commit()
