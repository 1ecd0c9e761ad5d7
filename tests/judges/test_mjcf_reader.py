"""MuJoCo judges the reader of MJCF: mass, center, tensor and pose of every body, joint ranges and gains.

`MJCF_FOLDERS` names folders with MJCF files of other people (separated by colons); without it, those of the packages
that `make judges` installs are read. None may be read otherwise than by MuJoCo; what is refused has a sentence.
"""

import importlib.util
import os
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from judged_robots import matrix
from random_mjcf import Writer
from remade import forward

from urdf_tools.base.errors import UrdfSimplifyError
from urdf_tools.formats.format_values import MEANT
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.urdf.spatial_math import ZERO

np = pytest.importorskip("numpy", reason="the judge needs numpy")
mujoco = pytest.importorskip("mujoco", reason="the judge is MuJoCo")

PACKAGES = ("dm_control", "robosuite", "metaworld", "gymnasium_robotics")
RULES = {  # what stands before the world, in a body of it, and behind
    "order of classes of actuators": (
        '<default><position kp="9" kv="2"/><motor gear="2"/></default>',
        '<joint name="j"/><geom size="1"/>',
        '<actuator><motor name="m" joint="j"/><position name="p" joint="j"/><velocity name="v" joint="j"/>'
        '<general name="g" joint="j"/><intvelocity name="i" joint="j"/></actuator>',
    ),
    "motor then position": (
        '<default><motor gear="2"/><position kp="9"/></default>',
        '<joint name="j"/><geom size="1"/>',
        '<actuator><motor name="m" joint="j"/><position name="p" joint="j" kv="3"/>'
        '<velocity name="v" joint="j"/></actuator>',
    ),
    "general": (
        '<default><general gainprm="7" biastype="affine" biasprm="0 -7 -1"/></default>',
        '<joint name="j"/><geom size="1"/>',
        '<actuator><general name="g" joint="j"/><position name="p" joint="j"/><motor name="m" joint="j"/>'
        '<velocity name="v" joint="j"/></actuator>',
    ),
    "every law": (
        '<default><position dampratio="0.7"/></default>',
        '<joint name="j" armature="0.3" ref="20" axis="1 2 3"/><geom type="box" size=".1 .2 .3" pos=".1 0 .2"/>'
        '<body name="c" euler="10 20 30" pos="1 2 3"><joint name="k" type="slide"/><geom size=".2"/></body>',
        '<actuator><position name="p" joint="j" kp="3" gear="-2"/><position name="q" joint="k" kp="5"/>'
        '<damper name="d" joint="j" kv="3" ctrlrange="0 2"/><intvelocity name="i" joint="j" kp="4" kv="0.2"/>'
        '<general name="g" joint="k" gainprm="2 0 1" biastype="affine" biasprm="1 2 3"/>'
        '<position name="t" joint="k" kp="5" timeconst="0.1"/><velocity name="v" joint="k" kv="5"/></actuator>',
    ),
    "nested": (
        '<default><position kp="3"/><default class="x"><position kv="2"/></default></default>',
        '<joint name="j"/><geom size="1"/>',
        '<actuator><position name="p" class="x" joint="j"/><velocity name="v" class="x" joint="j"/></actuator>',
    ),
    "quat after euler": (
        '<default><geom euler="10 20 30"/></default>',
        '<joint name="j"/><geom name="g" type="box" size="1 2 3" quat="1 1 0 0"/>'
        '<geom name="h" type="box" size="1 2 3" axisangle="1 1 0 30"/>',
        "",
    ),
    "partial": (
        '<default><geom type="capsule" size="1 2" friction=".5 .2 .1" condim="6"/></default>',
        '<joint name="j"/><geom name="g" size="3" friction=".7"/>',
        "",
    ),
    "fromto class": (
        '<default><geom type="box" fromto="0 0 0 1 2 3" size=".1"/></default>',
        '<joint name="j"/><geom name="g" size=".3"/>',
        "",
    ),
    "fromto": (
        "",
        '<joint name="j"/><geom name="g" type="ellipsoid" size=".3" fromto="1 0 0 0 2 1"/>'
        '<geom name="b" type="box" size=".3 .2" fromto="1 0 0 0 2 1"/>'
        '<geom name="c" type="cylinder" size=".3" fromto="0 0 0 0 0 1" pos="0 0 0" euler="1 2 3"/>',
        "",
    ),
    "balance": (
        '<compiler balanceinertia="true"/>',
        '<joint name="j"/><inertial pos="0 0 1" mass="1" quat="1 2 3 4" diaginertia="1 1 5"/>',
        "",
    ),
    "bounds": (
        '<compiler boundmass="3" boundinertia=".5"/>',
        '<joint name="j"/><inertial pos="0 0 1" mass="1" fullinertia="1 .4 1.2 .1 .1 .1"/><body name="c"/>',
        "",
    ),
    "bounds full": (
        '<compiler balanceinertia="true" boundinertia=".5"/>',
        '<joint name="j"/><inertial pos="0 0 1" mass="1" fullinertia="1 .4 2 .1 .1 .1"/>',
        "",
    ),
    "total": (
        '<compiler settotalmass="7"/>',
        '<joint name="j"/><geom size=".1"/><body name="c"><geom type="box" size=".1 .2 .3"/></body>',
        "",
    ),
    "groups": (
        '<compiler inertiagrouprange="1 2"/>',
        '<joint name="j"/><geom size=".1" group="1"/><geom type="box" size=".1 .2 .3" group="3"/>',
        "",
    ),
    "true no geoms": (
        '<compiler inertiafromgeom="true"/>',
        '<joint name="j"/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1.5"/>',
        "",
    ),
    "true group": (
        '<compiler inertiafromgeom="true" inertiagrouprange="3 3"/>',
        '<joint name="j"/><inertial pos="0 0 1" mass="1" diaginertia="1 1 1.5"/><geom size="1"/>',
        "",
    ),
    "zero mass geom": (
        "",
        '<joint name="j"/><geom size=".1" mass="0"/><geom type="box" size=".1 .2 .3" pos="1 0 0"/>',
        "",
    ),
    "shell": ("", '<joint name="j"/><geom size=".1" shellinertia="true"/>', ""),
    "frames": (
        "",
        '<frame pos="1 2 3" euler="10 20 30"><joint name="j" axis="1 2 3" pos="1 1 1"/>'
        '<geom name="g" type="box" size="1 2 3" pos="1 0 0"/><body name="c" euler="1 2 3">'
        '<joint name="k" pos="1 0 0" axis="0 1 1" ref="30"/>'
        '<joint name="l" type="slide" ref="2" axis="1 0 0"/><geom size="1"/></body></frame>',
        "",
    ),
    "eulers": (
        '<compiler eulerseq="ZyX"/>',
        '<joint name="j"/><geom name="g" type="box" size="1 2 3" euler="10 20 30"/>',
        "",
    ),
    "xyaxes": (
        "",
        '<joint name="j"/><geom name="g" type="box" size="1 2 3" xyaxes="1 2 3 0 1 0"/>'
        '<geom name="h" type="box" size="1 2 3" zaxis="1 0 0"/>'
        '<geom name="i" type="box" size="1 2 3" zaxis="0 0 -2"/>',
        "",
    ),
    "repeated": (
        '<default><default class="a"><geom density="10"/></default></default><default><geom density="5"/></default>',
        '<joint name="j"/><geom size="1"/><geom class="a" size="1"/>',
        "",
    ),
    "main class": (
        '<default class="main"><geom density="10"/></default>',
        '<joint name="j"/><geom size="1"/><geom class="main" size="1"/>',
        "",
    ),
    "joint class": (
        '<default><joint damping="1" range="-10 10" ref="5" springref="7" stiffness="2"/></default>',
        '<joint name="j"/><joint name="k" limited="false"/><joint type="slide" name="l"/><geom size="1"/>',
        "",
    ),
    "comp": (
        '<compiler angle="radian"/><compiler eulerseq="XYZ"/><compiler autolimits="false"/>',
        '<joint name="j" range="-1 1" limited="true"/><geom name="g" type="box" size="1 2 3" euler="1 2 3"/>',
        "",
    ),
    "childclass": (
        '<default><default class="a"><geom density="10"/><default class="b"><geom size="2"/></default>'
        "</default></default>",
        '<joint name="j"/><frame childclass="b"><geom/><body name="c" childclass="a"><geom size="1"/></body></frame>',
        "",
    ),
    "gravity": (
        '<option gravity="0 0 -1"/><option timestep="0.1"/><option><flag gravity="disable"/></option>',
        '<joint name="j"/><geom size="1"/>',
        "",
    ),
    "capsule": ("", '<joint name="j"/><geom type="capsule" size=".3 .4" mass="3"/>', ""),
    "inherit": (
        '<default><position inheritrange="1"/></default>',
        '<joint name="j" range="-30 60"/><geom size="1"/>',
        '<actuator><position name="p" joint="j"/><position name="q" joint="j" inheritrange=".5" kp="3"/></actuator>',
    ),
    "ball": (
        "",
        '<joint name="s" type="slide" ref="1"/><joint name="j" type="ball" pos="1 0 0"/><geom size="1"/>',
        "",
    ),
    "limits zero": (
        "",
        '<joint name="j" range="0 0"/><joint name="k" range="1 1" type="slide"/><geom size="1"/>',
        "",
    ),
    "site": (
        '<default><site zaxis="1 0 0"/></default>',
        '<joint name="j"/><geom size="1"/><site name="s" type="capsule" fromto="0 0 0 1 1 1" size=".1"/>'
        '<site name="t" pos="1 0 0" euler="1 2 3"/><site name="u"/>',
        "",
    ),
    "loops": (
        "",
        '<joint name="j"/><geom size="1"/><body name="c" pos="1 0 0"><joint name="k"/><geom size="1"/></body>',
        '<equality><joint joint1="j" joint2="k" polycoef="0 2"/></equality>',
    ),
    "dashes in comments": ("<!-- -- -->", '<joint name="j"/><geom size="1"/>', ""),
}
CLOSE = 1e-12
AXES = 1e-7  # of the largest moment of a body that meshes weigh
STATES = 3
START = Path.cwd()  # from which MJCF_FOLDERS may be relative


@pytest.fixture(autouse=True)
def mujoco_logs_elsewhere(tmp_path_factory, monkeypatch):
    """MuJoCo writes its warnings into a file where it is."""
    monkeypatch.chdir(tmp_path_factory.mktemp("log"))


def folders():
    if os.environ.get("MJCF_FOLDERS"):
        return [Path(START, folder) for folder in os.environ["MJCF_FOLDERS"].split(":")]
    found = [importlib.util.find_spec(name) for name in PACKAGES]
    return [Path(spec.origin).parent for spec in found if spec is not None and spec.origin]


def files_in(folder):
    for path in sorted(folder.rglob("*.xml")):
        if re.search(rb"<mujoco\b", path.read_bytes()[:200_000]):
            yield path


def posed(quaternion, place):
    """Return the 4 x 4 pose of a quaternion and a place of MuJoCo."""
    T, turn = np.eye(4), np.zeros(9)
    mujoco.mju_quat2Mat(turn, quaternion)
    T[:3, :3], T[:3, 3] = turn.reshape(3, 3), place
    return T


class Judge:
    """A compiled model, and what the reader says of the same file."""

    def __init__(self, model, robot):
        self.model, self.robot = model, robot
        self.data = mujoco.MjData(model)
        self.body = {model.body(i).name or f"body_{i}": i for i in range(model.nbody)}
        self.joint = {model.joint(i).name: i for i in range(model.njnt) if model.joint(i).name}
        self.unlike = []

    def say(self, what, found, expected, least=1.0, close=CLOSE):
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        size = max(least, float(np.max(np.abs(expected)))) if expected.size else 1.0
        if (
            found.shape != expected.shape
            or found.size
            and float(np.max(np.abs(found - expected))) > close * size
        ):
            self.unlike.append(f"{what}: {found.tolist()} is read, MuJoCo has {expected.tolist()}")

    def masses(self):
        for link in self.robot.links:
            if link.name not in self.body or link.name == "world":
                continue
            i = self.body[link.name]
            if (
                link.mass is None
                and self.model.body_weldid[i] == 0
                and any(f"mass of body '{link.name}'" in one.why for one in self.robot.unread)
            ):
                continue  # a body that never moves, weighed by meshes: that is listed
            R = posed(self.model.body_iquat[i], ZERO)[:3, :3]
            expected = R @ np.diag(self.model.body_inertia[i]) @ R.T
            mass, center, (xx, xy, xz, yy, yz, zz) = (
                link.mass[:3] if link.mass else (0.0, ZERO, (0.0,) * 6)
            )
            self.say(f"mass of {link.name}", mass, self.model.body_mass[i])
            if self.model.body_mass[i] > 0.0:
                self.say(f"center of {link.name}", center, self.model.body_ipos[i])
            self.say(
                f"tensor of {link.name}",
                [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
                expected,
                float(np.max(self.model.body_inertia[i])),
                # MuJoCo finds the axes of a mesh by steps that end before the last digits.
                AXES if self.model.nmesh else CLOSE,
            )

    def poses(self, generator):
        roots = {link.name for link in self.robot.links} - {
            joint.child for joint in self.robot.joints
        }
        root = self.body[roots.pop()]
        for state in range(STATES):
            self.data.qpos[:] = self.model.qpos0
            positions = {}
            for joint in self.robot.joints if state else ():
                if joint.moves:
                    positions[joint.child] = generator.uniform(-2.0, 2.0)
                    address = self.model.jnt_qposadr[self.number(joint)]
                    self.data.qpos[address] = positions[joint.child]
            mujoco.mj_kinematics(self.model, self.data)
            T_root = self.placed(root)
            for name, pose in forward(self.robot, positions).items():
                if name in self.body:
                    i = self.body[name]
                    self.say(
                        f"pose of {name}", matrix(pose), np.linalg.inv(T_root) @ self.placed(i)
                    )

    def placed(self, i):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.data.xmat[i].reshape(3, 3), self.data.xpos[i]
        return T

    def number(self, joint):
        """Return the number of a joint; one without a name in the file is found by its body."""
        if joint.name in self.joint:
            return self.joint[joint.name]
        body = next(name for name in self.body if joint.name.rstrip("_") == f"{name}_joint")
        start, count = (
            self.model.body_jntadr[self.body[body]],
            self.model.body_jntnum[self.body[body]],
        )
        unnamed = [i for i in range(start, start + count) if not self.model.joint(i).name]
        return unnamed[len(joint.name) - len(joint.name.rstrip("_"))]

    def joints(self):
        locked = {
            int(one)
            for one, kind, other in zip(
                self.model.eq_obj1id, self.model.eq_type, self.model.eq_obj2id
            )
            if kind == mujoco.mjtEq.mjEQ_JOINT and other < 0
        }
        for joint in self.robot.joints:
            if not joint.moves:
                continue
            i = self.number(joint)
            limited = bool(self.model.jnt_limited[i])
            if i not in locked:
                self.say(
                    f"limits of {joint.name}",
                    [joint.lower, joint.upper] if joint.lower is not None else [],
                    self.model.jnt_range[i] if limited else [],
                )
            self.say(
                f"reference of {joint.name}",
                joint.reference,
                self.model.qpos0[self.model.jnt_qposadr[i]],
            )
            dof = self.model.jnt_dofadr[i]
            values = {"friction": self.model.dof_frictionloss[dof]}
            if joint.values.get("stiffness"):
                values["spring_reference"] = self.model.qpos_spring[self.model.jnt_qposadr[i]]
            for name, value in values.items():
                self.say(f"{name} of {joint.name}", joint.values.get(name, (0.0,))[0], value)
            if self.model.jnt_actfrclimited[i]:
                self.say(
                    f"effort of {joint.name}",
                    joint.effort,
                    np.max(np.abs(self.model.jnt_actfrcrange[i])),
                )

    def actuators(self):
        numbers = {
            self.model.actuator(i).name: i
            for i in range(self.model.nu)
            if self.model.actuator(i).name
        }
        for actuator in self.robot.actuators:
            if actuator.name not in numbers:
                continue
            i = numbers[actuator.name]
            gain, bias = self.model.actuator_gainprm[i], self.model.actuator_biasprm[i]
            values, gear = actuator.values, self.model.actuator_gear[i][0]
            if actuator.kind == "motor":
                self.say(f"gear of {actuator.name}", values["gear"], [gear * gain[0]])
            elif actuator.kind in ("position", "intvelocity"):
                self.say(f"kp of {actuator.name}", values["kp"], [gain[0]])
                self.say(f"kv of {actuator.name}", values.get("kv", (0.0,)), [-bias[2]])
            elif actuator.kind == "damper":
                self.say(f"kv of {actuator.name}", values["kv"], [-gain[2]])
            elif actuator.kind.startswith("general"):
                self.say(f"gain of {actuator.name}", values["gain"], gain[: len(values["gain"])])
                self.say(f"bias of {actuator.name}", values["bias"], bias[: len(values["bias"])])
            elif actuator.kind == "velocity":
                self.say(f"kv of {actuator.name}", values["kv"], [-bias[2]])
            for name, word in (("force_range", "force"), ("control_range", "ctrl")):
                limited = getattr(self.model, f"actuator_{word}limited")[i]
                said = getattr(self.model, f"actuator_{word}range")[i]
                if limited or name in values:
                    self.say(
                        f"{name} of {actuator.name}", values.get(name, ()), said if limited else []
                    )

    def ends(self):
        for frame in self.robot.frames:
            i = self.model.site(frame.name).id
            expected = posed(self.model.site_quat[i], self.model.site_pos[i])
            self.say(f"pose of site {frame.name}", matrix(frame.T_link_frame), expected)
        self.say(
            "gravity",
            self.robot.gravity,
            self.model.opt.gravity
            if not self.model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
            else ZERO,
        )

    def shapes(self):
        """Compare the sizes, poses and friction of named geoms."""
        numbers = {
            self.model.geom(i).name: i for i in range(self.model.ngeom) if self.model.geom(i).name
        }
        for link in self.robot.links:
            for shape in link.shapes:
                if shape.name not in numbers or shape.geometry == "mesh":
                    continue
                i = numbers[shape.name]
                expected = posed(self.model.geom_quat[i], self.model.geom_pos[i])
                self.say(f"pose of geom {shape.name}", matrix(shape.T_link_shape), expected)
                factors = {
                    "box": (2, 2, 2),
                    "sphere": (1,),
                    "capsule": (1, 2),
                    "cylinder": (1, 2),
                    "plane": (),
                }.get(shape.geometry, (1, 1, 1))
                self.say(
                    f"size of geom {shape.name}",
                    shape.sizes,
                    [factor * half for factor, half in zip(factors, self.model.geom_size[i])],
                )
                if shape.role == "collision":
                    said = shape.surface.get("mu1", MEANT["mjcf"]["mu1"])
                    self.say(
                        f"friction of geom {shape.name}", said, self.model.geom_friction[i][:1]
                    )
                if shape.color is not None and not shape.texture:
                    self.say(f"color of geom {shape.name}", np.float32(shape.color), self.color(i))

    def color(self, i):
        gray = np.float32([0.5, 0.5, 0.5, 1.0])
        own, material = self.model.geom_rgba[i], self.model.geom_matid[i]
        return self.model.mat_rgba[material] if material >= 0 and np.array_equal(own, gray) else own

    def all(self):
        self.masses()
        self.poses(random.Random(7))
        self.joints()
        self.actuators()
        self.ends()
        self.shapes()
        return self.unlike


def judged(path):
    """Return what became of a file, and why."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except Exception as error:  # a file that MuJoCo refuses
        return "MuJoCo refuses", str(error).replace("\n", " ")
    try:
        robot = read_mjcf(path.read_text("utf-8"), str(path))
    except UrdfSimplifyError as error:
        return "refused", str(error)
    unlike = Judge(model, robot).all()
    return ("otherwise", "; ".join(unlike[:3])) if unlike else ("read", "")


def test_files_of_other_people_are_read_as_mujoco_reads_them(
    capsys,
):
    """The rate stands in compare/README.md; a file is read as MuJoCo reads it, or refused with a sentence."""
    places = folders()
    if not places:
        pytest.skip(f"none of {', '.join(PACKAGES)} is installed, and MJCF_FOLDERS names no folder")
    wrong = []
    why = []
    with capsys.disabled():
        for folder in places:
            counts = Counter()
            for path in files_in(folder):
                outcome, reason = judged(path)
                counts[outcome] += 1
                wrong += [f"{path}: {reason}"] if outcome == "otherwise" else []
                why += [f"{outcome} {reason}"] if outcome == "refused" else []
            loads = counts["read"] + counts["refused"] + counts["otherwise"]
            print(
                f"\n{folder.name}: {counts['read']} of {loads} that MuJoCo loads are read, {counts['refused']} "
                f"refused, {counts['otherwise']} otherwise; MuJoCo refuses {counts['MuJoCo refuses']}",
                end="",
            )
        if os.environ.get("MJCF_REASONS"):
            print("", *why, sep="\n")
    assert wrong == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "fixtures").rglob("*.xml")), ids=lambda path: path.name
)
def test_our_own_files_are_read_as_mujoco_reads_them(path):
    if not re.search(rb"<mujoco\b", path.read_bytes()):
        pytest.skip("no MJCF")
    outcome, reason = judged(path)
    assert outcome != "otherwise", reason


def test_random_files_are_read_as_mujoco_reads_them(tmp_path):
    """Several hundred, in every run the same; MuJoCo must compile most of them."""
    found = []
    for seed in range(300):
        (tmp_path / f"{seed}.xml").write_text(Writer(seed).text())
        found.append(judged(tmp_path / f"{seed}.xml"))
    assert [why for outcome, why in found if outcome not in ("read", "MuJoCo refuses")] == []
    assert sum(outcome == "read" for outcome, _ in found) > 200


@pytest.mark.parametrize("rule", RULES)
def test_rules_are_those_of_mujoco(rule, tmp_path):
    before, inside, behind = RULES[rule]
    world = f'<worldbody><body name="a">{inside}</body></worldbody>'
    (tmp_path / "robot.xml").write_text(f"<mujoco>{before}{world}{behind}</mujoco>")
    assert judged(tmp_path / "robot.xml") == ("read", "") or rule == "shell"


@pytest.mark.parametrize("seed", range(30))
def test_files_are_included_twice_where_mujoco_says_so(seed, tmp_path):
    rng = random.Random(seed)
    for folder in ("a", "a/b"):
        (tmp_path / folder).mkdir()
    parts = ["geom.xml", "a/geom.xml", "a/link.xml", "link.xml", "a/b/geom.xml"]
    (tmp_path / "geom.xml").write_text('<mujoco><geom size="1" mass="1"/></mujoco>')
    for name in parts[1:]:
        (tmp_path / name).symlink_to(
            os.path.relpath(tmp_path / "geom.xml", (tmp_path / name).parent)
        )
    ways = ["{}", "./{}", "a/../{}", "a//../{}", f"{tmp_path}/{{}}", "a/b/../../{}"]
    names = [rng.choice(ways).format(rng.choice(parts)) for _ in range(rng.randrange(2, 4))]
    bodies = [f'<body name="b{k}"><include file="{name}"/></body>' for k, name in enumerate(names)]
    path = tmp_path / "main.xml"
    path.write_text(f"<mujoco><worldbody>{''.join(bodies)}</worldbody></mujoco>")
    try:
        wanted = mujoco.MjModel.from_xml_path(str(path)).ngeom
    except ValueError as error:
        assert "already included" in str(error)
        wanted = 0
    try:
        found = sum(link.mass is not None for link in read_mjcf(path.read_text(), str(path)).links)
    except UrdfSimplifyError as error:
        assert "is included twice" in str(error)
        found = 0
    assert found == wanted, names


def random_mesh(rng):
    """Return points and triangles of a solid, which may be open, doubled, turned or dented."""
    count, layers = rng.randrange(3, 7), rng.randrange(2, 5)
    points = []
    for layer in range(layers):
        radius = rng.uniform(0.2, 1.0)
        turns = [2.0 * np.pi * k / count + rng.uniform(-0.2, 0.2) for k in range(count)]
        points += [
            (radius * np.cos(t), radius * np.sin(t) * rng.uniform(0.4, 1), 0.3 * layer)
            for t in turns
        ]
    points += [(0.0, 0.0, rng.uniform(-0.3, 0.1)), (0.0, 0.0, 0.3 * layers - rng.uniform(0.0, 0.4))]
    faces = []
    for layer in range(layers - 1):
        for k in range(count):
            a, b = layer * count + k, layer * count + (k + 1) % count
            faces += [(a, b, b + count), (a, b + count, a + count)]
    last = (layers - 1) * count
    faces += [((k + 1) % count, k, len(points) - 2) for k in range(count)]
    faces += [(last + k, last + (k + 1) % count, len(points) - 1) for k in range(count)]
    change = rng.randrange(6)
    if change == 1:
        faces = faces[rng.randrange(1, 4) :]
    elif change == 2:
        faces = [face[::-1] for face in faces]
    elif change == 3:
        faces[0] = faces[0][::-1]
    M = np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)])
    if np.linalg.det(M) < 0.0:
        M = -M
    return np.float32(np.array(points) @ M.T * rng.choice([0.01, 1.0]) + rng.uniform(-1, 1)), faces


@pytest.mark.parametrize("seed", range(120))
def test_the_mass_of_a_body_from_its_mesh_is_that_of_mujoco(seed, tmp_path):
    rng = random.Random(seed)
    points, faces = random_mesh(rng)
    words = rng.choice(
        ["", *(f'inertia="{word}"' for word in ("legacy", "exact", "convex", "shell"))]
    )
    is_even = rng.random() < 0.5
    scale = rng.choice(["2 2 2", "-1 -1 -1"] if is_even else ["1 -1 2", "0.5 2 1", "-1 -2 1"])
    words += f' scale="{scale}"' if rng.random() < 0.7 else ""
    words += ' refpos="0.1 0.2 -0.3"' if rng.random() < 0.3 else ""
    words += ' refquat="1 2 3 4"' if rng.random() < 0.3 and is_even else ""
    if rng.random() < 0.5:
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.astype(float).tolist()]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
        if rng.random() < 0.3:
            lines = ["o one", *lines, "o two", "v 1 1 1", "v 2 1 1", "v 1 2 1", "v 1 1 2"]
            lines += ["f -4 -2 -3", "f -4 -3 -1", "f -4 -1 -2", "f -3 -2 -1"]
        (tmp_path / "m.obj").write_text("\n".join(lines) + "\n")
        mesh = 'file="m.obj"'
    else:
        numbers = " ".join(repr(x) for x in points.astype(float).ravel().tolist())
        mesh = f'vertex="{numbers}" face="{" ".join(str(k) for face in faces for k in face)}"'
    weight = rng.choice(["", 'mass="2.5"', 'density="700"'])
    geom = f'<geom type="mesh" mesh="m" pos="1 2 3" quat="1 0.5 0 2" {weight}/>'
    more = rng.choice(["", '<geom size="0.3" pos="0.5 0 0"/>'])
    path = tmp_path / "r.xml"
    path.write_text(
        f'<mujoco><asset><mesh name="m" {mesh} {words}/></asset><worldbody><body name="b">'
        f'<joint name="j"/>{geom}{more}</body></worldbody></mujoco>'
    )
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        with pytest.raises(UrdfSimplifyError, match="comes from mesh"):
            read_mjcf(path.read_text(), str(path))
        assert re.search("inconsistent orientation|misoriented|too small", str(error))
        return
    mass = read_mjcf(path.read_text(), str(path)).links[1].mass
    assert mass.mass == pytest.approx(theirs.body_mass[1], rel=1e-6)
    assert mass.center == pytest.approx(theirs.body_ipos[1], rel=1e-6, abs=1e-6)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, theirs.body_iquat[1])
    R = R.reshape(3, 3)
    wanted = R @ np.diag(theirs.body_inertia[1]) @ R.T
    xx, xy, xz, yy, yz, zz = mass.tensor
    found = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert found == pytest.approx(wanted, abs=3e-6 * np.abs(wanted).max())
