"""What the robots of fixtures/exports become: small files that a person can review, rewritten by `make golden`.

Each `NAME.urdf` has `NAME.xml`, `NAME.sdf` and `NAME.usda`, all with what the exports say of it in a comment, or
only what was refused. Options stand in the first comment of the URDF.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))
FOLDER = ROOT / "fixtures" / "exports"


def robots():
    """Return the robots, in a fixed order."""
    return sorted(FOLDER.glob("*.urdf"))


def options_of(path):
    """Return the options that the first comment of a file asks for."""
    match = re.search(r"<!-- options: (.*?) -->", path.read_text("utf-8"))
    pairs = dict(word.split("=") for word in (match.group(1).split() if match else ()))
    return {name: float(value) if name == "kp" else value for name, value in pairs.items()}


def exports_of(path):
    """Return the files that belong beside a robot."""
    from urdf_tools.model.export_options import MjcfOptions, SdfOptions, UsdOptions
    from urdf_tools.export.mjcf_exporter import write_mjcf
    from urdf_tools.export.sdf_exporter import write_sdf
    from urdf_tools.export.usd_exporter import write_usd
    from urdf_tools.model import Robot

    robot = Robot.from_urdf(path)
    options = options_of(path)
    of_sdf = {name: value for name, value in options.items() if name in SdfOptions._fields}
    of_usd = {name: value for name, value in options.items() if name in UsdOptions._fields}
    files = []
    for suffix, write in (
        (".xml", lambda: write_mjcf(robot, MjcfOptions(**options))),
        (".sdf", lambda: write_sdf(robot, SdfOptions(**of_sdf))),
        (".usda", lambda: write_usd(robot, UsdOptions(**of_usd))),
    ):
        try:
            written = write()
            notes = "".join(
                f"  {sentence}\n"
                for sentence in (*written.said, *(note.text for note in written.notes))
            )
            if suffix == ".usda":
                text = written.text + "".join(f"# {line.strip()}\n" for line in notes.splitlines())
            else:
                text = (f"<!--\n{notes}-->\n" if notes else "") + written.text.replace(
                    '<?xml version="1.0"?>\n', ""
                )
        except ValueError as error:
            text = f"refused: {error}\n"
        files.append((path.with_suffix(suffix), text.encode("utf-8")))
    return files


def adapter():
    """Return the module that translates the joints of a robot to those of its variant with everything in it."""
    from urdf_tools import __version__, edit
    from urdf_tools.export.adapter_writer import export_adapter
    from urdf_tools.export.export_request import ExportRequest, SharedExportValues

    folder = ROOT / "fixtures" / "variants" / "two_arms"
    result = edit(
        folder / "robot.urdf",
        lock={"waist_yaw": 0.3},
        zero={"*_elbow": "middle"},
        drop=["*_hand"],
        flip=["left_elbow"],
    )
    choices = {"adapter": "adapter.py"}
    ((_, data),) = export_adapter(
        ExportRequest(result, choices, "robot.urdf", "", SharedExportValues())
    ).files
    return folder / "adapter.txt", data.replace(__version__.encode(), b"VERSION")


def wanted():
    """Return name and content of all files."""
    return [*(file for path in robots() for file in exports_of(path)), adapter()]
