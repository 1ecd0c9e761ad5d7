"""Load URDF files in one program: `program_errors.py PROGRAM FILE...`; a line of JSON for each: the file, and what was said.

A line `["start", FILE]` comes before each file, as a program may end this process. What was said is the text of the exception, and
all that the program printed.
"""

import json
import os
import sys
import tempfile
import warnings

from program_loading import drake, mujoco, newton, pybullet


def isaac(path):
    import urdf_usd_converter

    with tempfile.TemporaryDirectory() as folder:
        urdf_usd_converter.Converter().convert(path, folder)


LOADERS = {"mujoco": mujoco, "drake": drake, "newton": newton, "pybullet": pybullet, "isaac": isaac}


def main(program, *paths):
    answer = os.fdopen(os.dup(1), "w")
    warnings.simplefilter("always")
    for path in paths:
        print(json.dumps(["start", path]), file=answer, flush=True)
        os.chdir(os.path.dirname(path))
        with tempfile.TemporaryFile() as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
            said = []
            try:
                LOADERS[program](path)
            except BaseException as error:  # also SystemExit of Drake
                said.append(f"{type(error).__name__}: {error}")
            sys.stdout.flush()
            sys.stderr.flush()
            printed.seek(0)
            said.append(printed.read().decode("utf-8", "replace"))
        print(json.dumps(["done", path, "\n".join(said)]), file=answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
