"""Write the files of a command that makes no robot."""
from typing import Mapping, Optional

from ..base.transaction import Transaction


def write_all(files: Mapping[Optional[str], bytes]) -> None:
    """Write the files that are asked for, which have a path: all or none."""
    asked = {path: data for path, data in files.items() if path}
    if asked:
        with Transaction() as transaction:
            for path, data in asked.items():
                transaction.add(path, data)
            transaction.commit()
