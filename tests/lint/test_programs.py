"""The table by program: each fact shows itself in a robot, its screen has 80 columns, and its commands run."""

import json
from pathlib import Path

import pytest
from conftest import examples, needs_exact_names, ROOT
from hypothesis import given, strategies as st
from program_robots import arm, hand, ROBOTS, tensor, write_robots

from urdf_tools.app.command_table import main
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.export.allowed_export_differences import is_nearest
from urdf_tools.lint import program_effects
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.mass_repairs import nearest_tensor
from urdf_tools.lint.program_effects import EFFECTS, PROGRAMS, programs_of
from urdf_tools.robot.principal_axes import entries_of, principal
from urdf_tools.urdf.spatial_math import why_not_physical

KNOWN = [kind.name for kind in EXPORT_KINDS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robots")
    write_robots(folder)
    return folder


def table(path):
    return dict(zip(PROGRAMS, examine(path.read_bytes(), str(path), KNOWN).programs))


@needs_exact_names
def test_every_fact_shows_itself_in_a_robot(folder, monkeypatch):
    """With another verdict in its row the table of at least one robot changes, for each program of the row."""
    found = [
        examine(path.read_bytes(), str(path), KNOWN).findings
        for path in sorted(folder.glob("*.urdf"))
    ]
    before = [programs_of(findings) for findings in found]
    for k, row in enumerate(EFFECTS):
        for at, program in enumerate(PROGRAMS):
            if program in row.programs.split():
                changed = (
                    *EFFECTS[:k],
                    row._replace(verdict="refuses", what="another"),
                    *EFFECTS[k + 1 :],
                )
                monkeypatch.setattr(program_effects, "EFFECTS", changed)
                assert any(
                    old[at] != programs_of(findings)[at] for old, findings in zip(before, found)
                ), (row, program)


@pytest.mark.parametrize(
    ("name", "program", "verdict", "what", "cure"),
    (
        ("whole", "drake", "loads", (), ""),
        ("whole", "pybullet", "loads", ("computes its own inertia",), "URDF_USE_INERTIA_FROM_FILE"),
        ("whole", "mujoco", "loses", ("visuals", "the root's mass"), "export R r.xml --for mujoco"),
        ("massless", "mujoco", "refuses", ("a link moves without mass",), "lint R --fix"),
        ("massless", "gazebo", "loses", ("links without mass",), "lint R --fix"),
        ("triangle", "gazebo", "refuses", ("an impossible inertia",), "lint R --fix"),
        (
            "triangle_of_part",
            "gazebo",
            "loads",
            ("lumps fixed links",),
            "simplify R --lenient --merge-all",
        ),
        ("triangle_of_world", "gazebo", "loads", (), ""),
        (
            "triangle_of_light_part",
            "gazebo",
            "loads",
            ("lumps fixed links",),
            "simplify R --lenient --merge-all",
        ),
        (
            "triangle_of_world",
            "mujoco",
            "refuses",
            ("an impossible inertia", "a moment below 1e-14"),
            "lint R --fix",
        ),
        ("triangle_of_part", "mujoco", "refuses", ("an impossible inertia",), "lint R --fix"),
        ("twice", "rviz", "refuses", ("a joint name twice",), "simplify R --lenient"),
        (
            "visual_dae",
            "mujoco",
            "loses",
            ("visuals", "the root's mass"),
            "export R r.xml --for mujoco",
        ),
        (
            "collision_dae",
            "mujoco",
            "refuses",
            ("a format of meshes",),
            "export R r.xml --for mujoco",
        ),
        (
            "collision_stl",
            "drake",
            "refuses",
            ("collisions not .obj, .gltf",),
            "export R r.sdf --for drake",
        ),
        (
            "visual_missing",
            "drake",
            "refuses",
            ("meshes it cannot open",),
            "lint R --package NAME=DIR",
        ),
        ("look_twice_defined", "rviz", "refuses", ("a material is defined twice",), "lint R --fix"),
        ("no_tensor", "rviz", "loses", ("faulty parts",), "lint R --fix"),
        ("reversed", "drake", "refuses", ("reversed limits",), ""),
        (
            "fixed_of_a_link",
            "gazebo",
            "loads",
            ("lumps fixed links",),
            "simplify R --lenient --merge-all",
        ),
        ("of_a_link", "gazebo", "refuses", ("a link and a joint of one name",), "export R r.sdf"),
        ("light", "gazebo", "loses", ("links without mass",), "export R r.sdf"),
    ),
)
def test_what_the_table_says(name, program, verdict, what, cure, folder):
    assert table(folder / f"{name}.urdf")[program][1:4] == (verdict, what, cure)


def test_a_command_that_only_makes_an_export_possible_is_named_so(folder, monkeypatch, capsys):
    """What comes first cures another fault than the one that the row names."""
    monkeypatch.chdir(folder)
    Path("both.urdf").write_text(
        ROBOTS["twice"].replace(
            '<collision><geometry><box size="0.3 0.3 0.3"/>',
            '<collision><geometry><mesh filename="a.dae"/>',
        )
    )
    main(["lint", "both.urdf"])
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("MuJoCo"))
    assert row.endswith("simplify R --lenient, first")
    Path("both.urdf").unlink()


def test_the_screen_has_80_columns_and_json_has_the_command(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for name in ROBOTS:
        main(["lint", f"{name}.urdf"])
        lines = capsys.readouterr().out.splitlines()
        rows = lines[lines.index(f"Cures: urdf-simplify ..., where R is {name}.urdf") + 1 :]
        assert [
            row for row in PROGRAMS.values() if not any(line.startswith(row) for line in rows)
        ] == []
        assert max(map(len, rows)) <= 80
    main(["lint", "twice.urdf", "massless.urdf"])
    assert "Cures:" not in capsys.readouterr().out
    main(["lint", "twice.urdf", "massless.urdf", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["programs"]
    wanted = {
        "file": "massless.urdf",
        "program": "MuJoCo",
        "verdict": "refuses",
        "line": 4,
        "what": ["a link moves without mass"],
        "command": "urdf-simplify lint massless.urdf --fix",
    }
    assert len(rows) == 12 and wanted in rows


@pytest.mark.parametrize("name", ROBOTS)
def test_the_last_line_counts_what_the_table_says(name, folder, monkeypatch, capsys):
    """OK is said only where no program refuses the robot; alone, and beside another one."""
    monkeypatch.chdir(folder)
    main(["lint", f"{name}.urdf", "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    refusing = [row["program"] for row in data["programs"] if row["verdict"] == "refuses"]
    status = main(["lint", f"{name}.urdf"])
    last = capsys.readouterr().out.partition("\n\nCures:")[0].rsplit("\n", 1)[-1]
    assert status == (1 if data["counts"]["error"] else 0)
    assert last.startswith("OK:") == (
        not (data["counts"]["error"] + data["counts"]["warning"] + len(refusing))
    )
    assert ("refuse it" in last or "refuses it" in last) == bool(refusing)
    if refusing:
        named = " and ".join(refusing) if len(refusing) < 3 else f"{len(refusing)} of 6 programs"
        assert f"; {named} refuse" in last
    main(["lint", f"{name}.urdf", "whole.urdf"])
    both = capsys.readouterr().out
    assert (f"{name}.urdf: OK" in both) == last.startswith("OK:")
    many = f"programs refuse {1 if refusing else 0} of 2 robots"
    assert (many in both) == (bool(refusing) and name != "whole")


def test_what_is_no_urdf_or_cannot_be_read_has_no_table(folder, capsys):
    (folder / "broken.urdf").write_text('<robot name="r"><link/></robot>')
    for path in (folder / "broken.urdf", ROOT / "fixtures" / "compare" / "whole.xml"):
        main(["lint", str(path), "--format", "json"])
        assert "programs" not in json.loads(capsys.readouterr().out)
    (folder / "broken.urdf").unlink()


def test_a_comment_that_ignores_a_finding_changes_no_program(folder):
    path = folder / "ignored.urdf"
    path.write_text(
        ROBOTS["massless"].replace(
            '<link name="arm">', '<!-- lint-ignore no-mass: a test --><link name="arm">'
        )
    )
    assert table(path)["mujoco"].verdict == "refuses"
    path.unlink()


@examples(fuzzed=600)
@given(st.lists(st.floats(-1.0, 1.0), min_size=6, max_size=6))
def test_a_repaired_tensor_is_that_of_a_body_and_the_nearest(entries):
    xx, xy, xz, yy, yz, zz = entries
    old = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    new = nearest_tensor(old)
    assert why_not_physical(1.0, new) == "" and principal(new)[0][0] > 0.0
    size = max(map(abs, entries))
    if max(entries_of(new)) > 1e-6:  # of a body that is more than the point in place of zeros
        assert (
            is_nearest(entries, entries_of(new))
            or max(abs(a - b) for a, b in zip(entries, entries_of(new))) <= 1e-5 * size
            or _nearly(entries, entries_of(new))
        )


def _nearly(old, new):
    """Return True if a tensor is the nearest one but for the margin of 1e-6 of its largest second moment."""
    back = [
        value - 1e-6 * sum(new[k] for k in (0, 3, 5)) * (k in (0, 3, 5))
        for k, value in enumerate(new)
    ]
    return is_nearest(old, back) or max(abs(a - b) for a, b in zip(new, back)) < 1e-5


@pytest.mark.parametrize(
    ("content", "lines"),
    (
        ("", ('<mass value="1e-05"/>', 'ixx="1e-09"')),
        ('<inertial><mass value="0"/></inertial>', ('<mass value="1e-05"/>', 'ixx="1e-09"')),
        (tensor(0.01, 0.01, 0.09), ('ixx="0.045000045"', 'izz="0.09"')),
        (tensor(0, 0, 0), ('ixx="0.015"', 'izz="0.015"')),
        ('<inertial><mass value="1"/></inertial>', ('<inertia ixx="0.001539338926237"',)),
    ),
)
def test_masses_are_repaired_and_then_there_is_nothing_to_repair(content, lines, tmp_path, capsys):
    path = tmp_path / "r.urdf"
    path.write_text(arm(content))
    assert main(["lint", str(path), "--fix", "--select", "no-mass,inertia", "-y"]) == 0
    fixed = path.with_name("r_fixed.urdf")
    assert [line for line in lines if line not in fixed.read_text()] == []
    assert main(["lint", str(fixed), "--select", "no-mass,inertia"]) == 0
    assert "Proven: in the text only these values" in capsys.readouterr().out
    assert table(fixed)["mujoco"].verdict == "loses"


def test_a_part_keeps_its_tensor_where_another_rule_repairs_it(tmp_path):
    """Numbers in another order: the nearest tensor is none of them."""
    path = tmp_path / "r.urdf"
    path.write_text(
        hand().replace(
            'ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"',
            ('ixx="0.02" ixy="0.021" ixz="0.019" iyy="0.001" iyz="0" izz="0.002"'),
            1,
        )
    )
    found = {
        finding.kind.name: finding.repair
        for finding in examine(path.read_bytes(), str(path), KNOWN).findings
    }
    assert "inertia-slots" in found and not found["inertia"]


def test_of_a_xacro_nothing_is_repaired(here, monkeypatch, capsys):
    Path("r.urdf.xacro").write_text(ROBOTS["massless"])
    monkeypatch.setattr(
        "urdf_tools.app.lint_command.read_expanded", lambda path, *_: Path(path).read_bytes()
    )
    main(["lint", "r.urdf.xacro"])
    said = capsys.readouterr().out
    assert "fixable" not in said and "lint R --fix" not in said
    assert "MuJoCo         refuses: a link moves without mass  by hand\n" in said
