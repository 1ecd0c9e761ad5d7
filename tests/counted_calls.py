"""Calls of the operating system, counted: a signal or a failure at each one in turn."""

import os
from functools import partial


CALLS = (
    "open",
    "link",
    "replace",
    "unlink",
    "mkdir",
    "rmdir",
    "chmod",
    "chown",
    "fsync",
    "stat",
    "lstat",
    "listdir",
    "scandir",
    "urandom",
    "readlink",
    "makedirs",
    "getpid",
)


class Counter:
    """Calls of `os`, as far as this system has them, counted.

    At call number `when`, and with `again` at every later one, `act` is called.
    """

    def __init__(
        self,
        patch,
        act=None,
        when=-1,
        after=True,
        again=False,
        calls=CALLS,
    ):
        self.count = 0
        self.name = ""
        self.act, self.when, self.after, self.again = act, when, after, again
        for name in filter(partial(hasattr, os), calls):
            # No test loses its power supply: a look at the descriptor is enough, and need not wait for the disk.
            patch.setattr(
                os, name, self.counted(name, os.fstat if name == "fsync" else getattr(os, name))
            )

    def counted(self, name, function):
        """Return a function that counts its calls, and acts at the one that is due."""

        def call(*arguments, **named):
            """Count this call, and act if it is due."""
            self.count += 1
            due = self.act is not None and (
                self.count == self.when or self.again and self.count > self.when
            )
            if due:
                self.name = self.name or name
            if due and not self.after:
                self.act()
            try:
                return function(*arguments, **named)
            finally:
                if due and self.after:
                    self.act()

        return call


def content(folder):
    """Return every file with its bytes, and every folder."""
    return {
        path.relative_to(folder).as_posix(): b"" if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
    }
