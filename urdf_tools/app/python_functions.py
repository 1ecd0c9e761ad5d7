"""The functions of the package: each does the same as the command of its name, without asking or printing."""

from __future__ import annotations

from itertools import chain
from typing import Any, Optional, Tuple

from ..base.errors import UsageError
from ..base.option_table import as_keyword, either, OptionRow, values_of
from ..collada.conversion_records import MeshProgress, MAX_FACES, MeshPart
from ..collision.collision_settings import KINDS
from ..plan.run_options import MeshOptions
from ..report.line_layout import TextStyle
from ..report.plan_text import change_line, plan_text
from ..run.check_destinations import read_path
from ..run.split_collada import extract_conversion
from ..run.single_file_options import OPTION_ROWS
from ..run.run_pipeline import run_call, simplify as simplify_alone
from ..run.run_records import Result as RunResult
from .argument_types import LinkKinds, Path
from .edit_commands import act_names, ordered, refuse_no_act
from .run_extension import EXTENSION, late
from .export_command import extension_for, target_values
from .package_options import TABLE
from .notebook_pages import page_of_result, ShowableResult
from .function_signatures import add_options

__all__ = ["Result", "collision", "edit", "export", "pairs", "simplify"]
# A call uses no other processes: without fork, these import the caller's script again, which then must guard its own calls
# by `if __name__ == "__main__"`.
ONE_PROCESS = {"jobs": 1}

EXTRACTING = (
    *(
        row._replace(needs=())
        for row in OPTION_ROWS
        if row.name in ("scale", "missing_unit", "up_axis", "force")
    ),
    OptionRow("separate", "", "one STL for each color", kind=bool, default=True),
    OptionRow("merge_equal_colors", "", "one part for equal colors", kind=bool, default=True),
    OptionRow("planar", "", "parts in a plane", default="keep", choices=("keep", "merge")),
    OptionRow(
        "max_faces",
        "",
        "of a part",
        kind=int,
        default=MAX_FACES,
        valid=lambda value: value >= 0,
        advice="give a number of triangles, or 0 for no limit",
    ),
)


class Result(ShowableResult, RunResult):
    """The result of a run; it is shown in one line, `str()` is the plan, and `show()` opens the robot before and after."""

    __slots__ = ()

    def __repr__(self) -> str:
        counts = " -> ".join(str(len(robot.links)) for robot in (self.before, self.after))
        change = change_line(self)
        proven = "proven" if self.exported.edited else "same robot"
        if self.exported.but_for:
            proven += f", but for {', '.join(self.exported.but_for)}"
        if self.exported.refused_by:
            proven += f", refused by {' and '.join(self.exported.refused_by)}"
        words = ", ".join(filter(None, (f"{counts} links", change, proven)))
        return f"<Result '{self.before.name}': {words}>"

    def __str__(self) -> str:
        return "\n".join(plan_text(self, TextStyle(boxes=True, color=False)))

    def page(self) -> str:
        """Return a page with the robot before and after in 3D: the text of an HTML file without links to anywhere."""
        return page_of_result(self)


def simplify(urdf: Path, output: Optional[Path] = None, **choices: Any) -> Result:
    # Its docstring is the docstring of the single file's function, below.
    return Result._make(run_call("simplify", urdf, output, choices, EXTENSION, ONE_PROCESS))


simplify.__doc__ = simplify_alone.__doc__
add_options(simplify, "simplify", TABLE)


def edit(urdf: Path, output: Optional[Path] = None, **choices: Any) -> Result:
    """Carry out the named edits, in their order, and nothing else.

    `edit("arm.urdf", "new.urdf", attach="hand.urdf tool0 prefix=hand_", root="hand_palm", lock={"waist_*": 0.0})`

    Args:
        urdf: the path of the robot.
        output: the path to write to, or None to write nothing.
        choices: the options below; an edit that is carried out several times as a list.

    Raises:
        UrdfError: the robot, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    refuse_no_act(choices)
    acts = act_names()
    rows = [row for row in TABLE if row.name in choices and row.name in (*acts, "density")]
    values = values_of(rows, choices, lambda row: as_keyword(row.name))
    acts_given = [name for name in choices if name in acts]
    # Each edit is listed once for each of its values.
    names = [*chain.from_iterable([name] * len(values[name]) for name in acts_given)]
    in_order = ordered(values, names)
    given = {name: value for name, value in choices.items() if not (in_order and name in values)}
    return Result._make(
        run_call("edit", urdf, output, given, EXTENSION, {**ONE_PROCESS, **in_order})
    )


add_options(edit, "edit", TABLE)


def collision(
    urdf: Path,
    output: Optional[Path] = None,
    *,
    shape: Optional[str] = None,
    link: LinkKinds = (),
    **choices: Any,
) -> Result:
    """Replace collision meshes by shapes that contain them: `collision("a.urdf", "b.urdf", shape="hull")`.

    Args:
        urdf: the path of the robot.
        output: the path to write to, or None to write nothing.
        shape: hull, auto, box, cylinder, capsule, sphere, spheres or convex.
        link: a different kind for some links, such as `{"hand_*": "keep"}`.
        choices: the options below.

    Raises:
        UrdfError: the robot, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    if not (shape or link):
        raise UsageError(f"which shape? give shape: {either(KINDS)} (or link)")
    given = dict(choices)
    if shape:
        given["collision"] = shape
    if link:
        given["collision_link"] = link
    return Result._make(run_call("collision", urdf, output, given, EXTENSION, ONE_PROCESS))


add_options(collision, "collision", TABLE, own={"shape": "collision", "link": "collision_link"})


def pairs(
    urdf: Path, output: Optional[Path] = None, *, srdf: Optional[Path] = None, **choices: Any
) -> Result:
    """Find the pairs of links that never touch, and write them into an SRDF: `pairs("a.urdf", "a.srdf")`.

    Args:
        urdf: the path of the robot.
        output: the path of the SRDF to write, or None to write nothing.
        srdf: the SRDF to add the pairs to; None: a new SRDF.
        choices: the options below.

    Raises:
        UrdfError: a file or an option cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    more = {**ONE_PROCESS, "pairs": True, "srdf": read_path("srdf", srdf)}
    more["srdf_output"] = read_path("output", output)
    return Result._make(run_call("pairs", urdf, None, choices, EXTENSION, more))


add_options(pairs, "pairs", TABLE)


def export(robot: Path, *targets: Path, **choices: Any) -> Result:
    """Write the robot as it is in the formats of file endings: `export("a.urdf", "a.xml", "a.sdf", base="fixed")`.

    Args:
        robot: the path of the robot.
        targets: the files to write: MJCF (.xml), SDF, USD (.usda), the model (.json), URDF, an armature.
        choices: the options below.

    Raises:
        UrdfError: the robot, an option or a target cannot be used; nothing has been written.
        TypeError: a choice that does not exist.
    """
    more = target_values(
        str(read_path("robot", robot)),
        [read_path("target", target) for target in targets],
        {**choices, "for": choices.get("for_")},
        as_keyword,
    )
    urdf = more.pop("output", None)
    extension = extension_for(choices)
    return Result._make(
        run_call("export", robot, urdf, choices, extension, {**ONE_PROCESS, **more})
    )


add_options(export, "export", TABLE)


def extract_meshes_from_dae(
    dae_file: Path,
    output_dir: Path,
    *,
    scale: Optional[float] = None,
    scale_factor: Optional[float] = None,
    separate: bool = True,
    missing_unit: str = "meter",
    up_axis: Optional[str] = None,
    merge_equal_colors: bool = True,
    planar: str = "keep",
    max_faces: int = MAX_FACES,
    force: bool = False,
    progress: Optional[MeshProgress] = None,
) -> Tuple[MeshPart, ...]:
    """Write one binary STL per color of a `.dae` file, in meters, and return a record of each.

    Either all files appear in `output_dir`, which is made if need be, or none.

    Args:
        scale, scale_factor: meters per unit of the file, instead of its `<unit>`; two words for one number.
        separate: False writes one STL for everything.
        missing_unit: "meter" or "millimeter", for a file without a unit.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None keeps the axes as they are.
        merge_equal_colors: False keeps materials apart that have the same color.
        planar: "merge" moves parts that lie in a plane into the largest part.
        max_faces: parts with more triangles are split; 0 for no limit.
        force: replace existing files that this tool did not write, or made from another model.
        progress: called now and then with the number of triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        UsageError: an option is of another type or out of range, or a file cannot be written or must not be replaced.
        ProofFailed: the written parts differ from the file.
    """
    if None not in (scale, scale_factor) and scale != scale_factor:
        raise UsageError("scale and scale_factor are one number: give one of them")
    values = dict(
        values_of(
            EXTRACTING,
            {
                "scale": scale if scale_factor is None else scale_factor,
                "separate": separate,
                "missing_unit": missing_unit,
                "up_axis": up_axis,
                "force": force,
                "merge_equal_colors": merge_equal_colors,
                "planar": planar,
                "max_faces": max_faces,
            },
            lambda row: row.name,
        )
    )
    separate = values.pop("separate")
    force = values.pop("force")
    return extract_conversion(
        read_path("dae_file", dae_file),
        read_path("output_dir", output_dir),
        late("export.meshes.mesh_process_pool:PooledConverter")(MeshOptions(**values)),
        separate=separate,
        force=force,
        progress=progress,
    ).parts
