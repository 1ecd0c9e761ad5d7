"""Mutants: the proof of every run refuses what a faulty tool makes.

Each row breaks one function or one line of the tool; a run on a fixture must then end with exit code 3. The row says
what is wrong in which way, so the table tells what the proof can see. To add one: a module, its function and what makes
the wrong one of it (or a text that is in it, and what to put in its place), and a fixture (or the text of a robot)
where it matters.
"""

import contextlib
import importlib
import importlib.machinery
import importlib.util
import re
import sys
from itertools import chain
from pathlib import Path
from typing import Any, Callable, NamedTuple

import golden
import pytest
from conftest import whole_package

from engine import has_acts, main

FIXTURES = golden.FIXTURES


class Mutant(NamedTuple):
    """A wrong line: the module, the text that is replaced, its replacement, and the robot that shows it."""

    module: str
    right: str
    wrong: str
    robot: str


class Replaced(NamedTuple):
    """A wrong function: its module and name, what makes it of the right one, and the robot that shows it."""

    module: str
    function: str
    wrong: Callable[[Any], Any]
    robot: str


COPIES = """<robot name="copies"><link name="base"/>
<link name="body"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
<visual><origin xyz="0.1 0.2 0"/><geometry><sphere radius="0.05"/></geometry></visual>
<visual><geometry><mesh filename="a.stl"/></geometry></visual>
<visual><geometry><box size="1 1 1"/></geometry><material name=""><texture filename="a.png"/></material></visual></link>
<link name="part"><inertial><origin xyz="0.3 0 0" rpy="0.4 0.5 0.6"/><mass value="2"/>
<inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
<visual><origin xyz="0.2 0.1 0"/><geometry><sphere radius="0.05"/></geometry></visual>
<visual><geometry><mesh filename="b.stl"/></geometry></visual>
<visual><geometry><box size="1 1 1"/></geometry><material name=""><texture filename="b.png"/></material></visual></link>
<joint name="waist" type="revolute"><parent link="base"/><child link="body"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
<joint name="weld" type="fixed"><parent link="body"/><child link="part"/></joint></robot>"""

# A flipped joint (its axis points down), with all that has a sign or a direction in its frame.
SIGNS = """<robot xmlns:gz="http://gazebosim.org/schema" name="signs"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="head"><inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial>
<visual><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="ear"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="tip"/><link name="lid"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<joint name="neck_yaw" type="revolute"><origin xyz="0 0 1" rpy="0.3 0.2 0.1"/><parent link="base"/><child link="head"/>
<axis xyz="0 0 -1"/><limit lower="-1" upper="2" effort="1" velocity="1"/><calibration rising="0.5"/></joint>
<joint name="ear_pitch" type="revolute"><origin xyz="0 0 0.2" rpy="0 0 0.2"/><parent link="head"/><child link="ear"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="1" velocity="1"/>
<mimic joint="neck_yaw" multiplier="0.5" offset="0.1"/></joint>
<joint name="lid_roll" type="prismatic"><origin xyz="0.1 0 0.2" rpy="0 0.4 0"/><parent link="ear"/><child link="lid"/>
<axis xyz="-1 0 0"/><limit lower="-0.1" upper="0.2" effort="1" velocity="1"/>
<mimic joint="ear_pitch" multiplier="0.3" offset="0.05"/></joint>
<joint name="tip_joint" type="fixed"><origin xyz="0 0 0.5" rpy="0.1 0 0"/><parent link="ear"/><child link="tip"/>
</joint>
<gazebo reference="neck_yaw"><springReference>0.25</springReference></gazebo>
<gazebo reference="head"><fdir1>1 0.5 0</fdir1><collision><surface><friction><ode>
<fdir1 gz:expressed_in="head">1 0.5 0</fdir1></ode></friction></surface></collision>
<sensor name="cam" type="camera"><pose>0.1 0 0 0 0.2 0</pose></sensor>
<plugin name="p" filename="p.so"><bodyName>head</bodyName><xyzOffset>0.1 0 0</xyzOffset><rpyOffset>0 0 0.3</rpyOffset>
</plugin></gazebo>
<gazebo><plugin name="r" filename="libgazebo_ros_p3d.so"><body_name>head</body_name></plugin><plugin name="s"
filename="libgazebo_ros_imu.so"><body_name>tip</body_name><xyz_offset>0.1 0.2 0.3</xyz_offset></plugin></gazebo>
<gazebo><plugin name="m" filename="m.so"><joint>ear_pitch</joint><mimicJoint>lid_roll</mimicJoint>
<multiplier>0.5</multiplier><offset>0.2</offset></plugin></gazebo>
<gazebo reference="tip"><mu1>0.3</mu1></gazebo>
<frame name="f" link="head" xyz="0.1 0.2 0.3" rpy="0 0 0.5"/>
<ros2_control name="c" type="system"><joint name="neck_yaw"><command_interface name="position">
<param name="min">-1</param><param name="max">2</param>
<param name="initial_value">0.5</param></command_interface></joint>
<joint name="ear_pitch"><param name="mimic">neck_yaw</param><param name="multiplier">0.5</param>
<param name="offset">0.1</param></joint></ros2_control></robot>"""
# Links that merge into one without visuals: the first color becomes its own, that of the other is warned of.
COLORS = """<robot name="colors"><link name="base"><inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="hull"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="lid"><visual><geometry><box size="1 1 2"/></geometry></visual></link>
<joint name="hull_joint" type="fixed"><parent link="base"/><child link="hull"/></joint>
<joint name="lid_joint" type="fixed"><parent link="base"/><child link="lid"/></joint>
<gazebo reference="hull"><turnGravityOff>true</turnGravityOff><material>Gazebo/Blue</material><mu1>0.1</mu1></gazebo>
<gazebo reference="base"><turnGravityOff>false</turnGravityOff></gazebo>
<gazebo reference="lid"><material>Gazebo/Red</material></gazebo></robot>"""
NOT_MERGED = ("follow/gazebo_surface",)  # others that have a variant with --merge-all are run so
TWO_SIGNS = SIGNS.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>')
OPEN_BOUND = SIGNS.replace('<param name="min">-1</param>', '<param name="min">{x}</param>')

NOTED = """<!-- urdf_simplify 0.0.1 joint map, q is the position in the original file:
  neck%20-%2Dyaw = -q, ear_pitch = -(q - 0.25), lid_roll = lid - -1e-3, gone = -q
-->
""" + SIGNS.replace("neck_yaw", "neck --yaw")
# What l1 says of the name m comes in front of what l0 says when l1 merges; so does the name alone in `late`.
CLASHING = (
    "<robot name='c'><link name='base'/>"
    + "".join(
        f"<link name='l{k}'><visual><geometry><box size='1 1 {k}'/></geometry><material name='m'><color rgba='{k} 0 0 1'/>"
        f"</material></visual></link><joint name='j{k}' type='{kind}'><parent link='base'/><child link='l{k}'/></joint>"
        for k, kind in enumerate(("continuous", "fixed"))
    )
    + "</robot>"
)
LATE = CLASHING.replace("<color rgba='1 0 0 1'/>", "")

# A frame that a plugin names, and that moves without a turn where its link merges.
SHIFTED = """<robot name="shifted"><link name="base"/><link name="tip"/>
<joint name="weld" type="fixed"><origin xyz="0.1 0 0"/><parent link="base"/><child link="tip"/></joint>
<gazebo><plugin name="p" filename="p.so"><frameName>tip</frameName></plugin></gazebo></robot>"""

KEPT = SIGNS.replace("<robot ", "<!-- urdf_simplify 0.1.0 variant: keep-signs -->\n<robot ", 1)

ROBOTS = {
    "copies": COPIES,
    "signs": SIGNS,
    "two_signs": TWO_SIGNS,
    "open_bound": OPEN_BOUND,
    "colors": COLORS,
    "clashing": CLASHING,
    "late": LATE,
    "noted": NOTED,
    "kept": KEPT,
    "shifted": SHIFTED,
}


def other_diagonal(corners, triangles):
    """Return the triangles of a quad that was cut along the other diagonal."""
    a, b, c, d = corners
    return [b, c, d, b, d, a] if list(triangles) == [a, b, c, a, c, d] else [a, b, c, a, c, d]


ZEROS = "variants/two_arms --zero right_elbow=0.35 --zero left_finger_*=0.004 --zero waist_yaw=0.25"
MUTANTS = {
    # masses
    "three times Steiner": Mutant(
        "urdf/spatial_math",
        "steiner = inertia_of_point(part.mass, ",
        "steiner = inertia_of_point(3.0 * part.mass, ",
        "copies",
    ),
    "no Steiner": Mutant(
        "urdf/spatial_math",
        "steiner = inertia_of_point(part.mass, ",
        "steiner = inertia_of_point(0.0, ",
        "copies",
    ),
    "center is a plain mean": Mutant(
        "urdf/spatial_math",
        "math.fsum(part.mass * part.center[k] for part in parts) / mass",
        "math.fsum(part.center[k] for part in parts) / len(parts)",
        "copies",
    ),
    "inertial rpy ignored": Mutant(
        "urdf/urdf_reader", "rotate_inertia(pose.rotation, tensor)", "tensor", "copies"
    ),
    "tensor turned backwards": Mutant(
        "urdf/spatial_math",
        "multiply(multiply(R_a_b, inertia), transpose(R_a_b))",
        "multiply(multiply(transpose(R_a_b), inertia), R_a_b)",
        "signs",
    ),
    "rpy in another order": Mutant(
        "urdf/spatial_math",
        "_turned(rpy[0] + 0.0, rpy[1] + 0.0, rpy[2] + 0.0)",
        "_turned(rpy[2] + 0.0, rpy[1] + 0.0, rpy[0] + 0.0)",
        "signs",
    ),
    # shapes
    "copies in another place": Mutant(
        "plan/removed_shapes",
        "return any(poses_coincide(T, other) for other in near_poses)",
        "return bool(poses)",
        "copies",
    ),
    "copies by any mesh": Mutant(
        "plan/removed_shapes",
        'elif top.name != "origin":',
        'elif top.name not in ("origin", "geometry"):',
        "copies",
    ),
    "copies by any image": Mutant(
        "plan/removed_shapes",
        'if top.name == "material" and not top.elements():',
        'if top.name == "material":',
        "copies",
    ),
    "shapes not moved": Mutant(
        "apply/apply_plan_passes",
        "compose(T_new_old, shape.pose), shape.pose, plan.noise)",
        "shape.pose, shape.pose, plan.noise)",
        "signs",
    ),
    "poses composed in reverse": Mutant(
        "urdf/spatial_math",
        "return Transform(multiply(R_a_b, R_b_c),",
        "return Transform(multiply(R_b_c, R_a_b),",
        "signs",
    ),
    "meshes renamed into nowhere": Mutant(
        "urdf/mesh_paths",
        "target = os.path.join(folder, ",
        "target = os.path.join(folder, 'wrong', ",
        "copies",
    ),
    "another color of a name comes first": Mutant(
        "meshing/make_meshes",
        "if new_meanings.get(name) != old_meanings.get(name))",
        "if False)",
        "clashing --merge-all",
    ),
    "a name alone comes in front of its color": Mutant(
        "meshing/make_meshes",
        "changed = {name for name, _ in now_too_early - too_early}",
        "changed = set()",
        "late --merge-all",
    ),
    "materials defined otherwise": Mutant(
        "apply/apply_plan_passes",
        "attach(material, [copy_element(child)])",
        'attach(material, [create("color", {"rgba": "0.5 0 0 1"})])',
        "clashing --merge-all",
    ),
    "files are what the plan says": Mutant(
        "meshing/make_meshes",
        "names=renamed.names, uri_files={**renamed.uri_files, **staged_files},",
        "names=renamed.uri_files, uri_files={**renamed.names, **staged_files},",
        "copies",
    ),
    "the color of the visual for parts that have their own": Mutant(
        "meshing/mesh_conversion",
        "part.rgba is not None or not _is_rgba(",
        "part.rgba is not None and not _is_rgba(",
        "painted_arm",
    ),
    "no numbers for a color": Mutant(
        "meshing/mesh_conversion",
        "if part.rgba is not None or not _is_rgba(rgba):",
        "if part.rgba is not None:",
        "painted_arm",
    ),
    "another gray": Mutant(
        "meshing/mesh_conversion",
        "rgba_text(part.rgba or GRAY)",
        "rgba_text(part.rgba or (0, 0, 0, 1))",
        "painted_arm",
    ),
    "files without a name": Mutant(
        "meshing/mesh_conversion",
        """= f"{stem}{os.path.splitext(part.file)[1]}\"""",
        '= ""',
        "painted_arm",
    ),
    "one name for all files": Mutant(
        "meshing/mesh_conversion", """= f"{stem}{os.path""", """= f"x{os.path""", "painted_arm"
    ),
    "meshes of each other": Mutant(
        "meshing/mesh_conversion",
        "zip(names, materials, conversion",
        "zip(names[::-1], materials, conversion",
        "painted_arm",
    ),
    "a part is not named": Mutant(
        "meshing/mesh_conversion",
        "parts=tuple(parts), made=conversion.parts",
        "parts=tuple(parts[:1]), made=conversion.parts",
        "painted_arm",
    ),
    "meshes in another folder": Mutant(
        "meshing/mesh_converter",
        'prefix.rstrip("/") + "/"',
        '"../" + prefix.rstrip("/") + "/"',
        "painted_arm",
    ),
    "colors that are to be kept become one": Mutant(
        "export/meshes/format_converter",
        "separate=options.separate or in_one), within",
        "separate=options.separate and in_one), within",
        "painted_arm --mesh-format obj",
    ),
    "colors that are to be kept become one in a file": Mutant(
        "export/meshes/format_converter",
        "separate=options.separate or in_one), within",
        "separate=options.separate and in_one), within",
        "painted_arm --mesh-format glb",
    ),
    "a GLB of another version": Mutant(
        "meshes/write_mesh_files",
        "_words(2, total)",
        "_words(3, total)",
        "painted_arm --mesh-format glb",
    ),
    "glTF of another version": Mutant(
        "meshes/write_mesh_files",
        '"version": "2.0"',
        '"version": "2.1"',
        "painted_arm --mesh-format gltf",
    ),
    # joints
    "axis sign": Mutant("plan/canonical_frames", "JointMap(sign)", "JointMap(-sign)", "signs"),
    "limits not swapped": Mutant(
        "apply/apply_plan_passes", "part.set(places[end], ", "part.set(end, ", "signs"
    ),
    "one-sided values keep their side": Mutant(
        "apply/apply_plan_passes",
        "part.set(places[end], ",
        "part.set(places[end] if texts[places[end]] else end, ",
        "signs",
    ),
    "mimic sign": Mutant(
        "apply/apply_plan_passes", "if planned.map.sign * leader.sign < 0:", "if False:", "signs"
    ),
    "mimic offset": Mutant("apply/apply_plan_passes", 'mimic.set("offset", new)', "pass", "signs"),
    # what follows
    "ros2_control limits not swapped": Mutant(
        "plan/update_values",
        "new_values[end] = _mapped_number",
        "new_values[name] = _mapped_number",
        "signs",
    ),
    "the old number is written": Mutant(
        "plan/update_values",
        "_write_value(changes, value.places[0], new)",
        "_write_value(changes, value.places[0], text_at(value.places[0]))",
        "signs",
    ),
    "plugin offsets are off by 1 m": Mutant(
        "plan/update_values",
        "compose(T_new_old, Transform(R, (x, y, z)))",
        "compose(T_new_old, Transform(R, (x + 1.0 * (value.kind == OFFSET_POSE), y, z)))",
        "signs",
    ),
    "signs of two joints do not cancel": Mutant(
        "plan/update_values",
        "sum(group == {True} for group in groups) % 2",
        "{True} in groups",
        "two_signs",
    ),
    "names of another link": Mutant(
        "plan/reference_updates",
        "return self.members[link].target",
        "return next(iter(self.members))",
        "signs",
    ),
    "sensor poses not moved": Mutant(
        "plan/update_values",
        "compose(T_new_old, Transform(R, (x, y, z)))",
        "compose(IDENTITY_POSE, Transform(R, (x, y, z)))",
        "signs",
    ),
    "frames moved backwards": Mutant(
        "plan/update_values",
        "compose(T_new_old, Transform(R, (x, y, z)))",
        "compose(Transform(R, (x, y, z)), T_new_old)",
        "signs",
    ),
    "names of merged links stay": Mutant(
        "plan/update_values",
        "changes.rename_link(element, key, value.link)\n\n\n",
        "pass\n\n\n",
        "follow/gazebo_plugin",
    ),
    "ratio of a mimic plugin": Mutant(
        "plan/update_values", "_write_value(changes, value.places[0], new)", "pass", "signs"
    ),
    "offsets that are not made": Mutant(
        "plan/update_values",
        "    changes.set(element, key, format_numbers(part), child)",
        "    pass",
        "signs",
    ),
    "blocks dropped with what nobody else says": Mutant(
        "plan/update_tags",
        "whole = dropped and ",
        "whole = dropped or ",
        "follow/surface_of_nothing",
    ),
    "surfaces that differ are taken for equal": Mutant(
        "plan/kept_links",
        "and meaning(key, lost) != meaning(key, stays)",
        "and False",
        "follow/gazebo_surface",
    ),
    "values of a link without collisions spread": Mutant(
        "plan/kept_links",
        "self.unused.update(tag.offset for tag in tags)",
        "pass",
        "follow/surface_of_nothing",
    ),
    "values of a body are lost with the link that said them": Mutant(
        "plan/kept_links",
        "staying = [counting(tags_of_value)]",
        "staying = []",
        "follow/surface_of_nothing",
    ),
    "values that do not count for a body stay": Mutant(
        "plan/kept_links",
        "self.unused.update({tag.offset for tag in tags} - ",
        "set().update({tag.offset for tag in tags} - ",
        "colors",
    ),
    "values of a part that is no body hold for the body": Mutant(
        "plan/kept_links",
        "any(self.has_content(link, kind) for link in heavy)",
        "heavy",
        "odd/twice_in_gazebo",
    ),
    "a body that falls from now on without a word": Mutant(
        "plan/kept_links",
        "if used[part] != holds:",
        "if False:",
        "odd/twice_in_gazebo",
    ),
    "the base merges into the world": Mutant(
        "plan/link_merging",
        'if not name == robot.root == "world" and not',
        "if not",
        "odd/world_with_mass",
    ),
    "materials that move without a name": Mutant(
        "plan/update_references",
        'changes.set(material, "name", name)',
        "pass",
        "odd/unnamed_materials",
    ),
    "a material with the name of another": Mutant(
        "plan/update_references",
        'unique(f"{link}_material", names)',
        'f"{link}_material"',
        "odd/unnamed_materials",
    ),
    "blocks dropped whole for a part of them": Mutant(
        "plan/update_tags",
        "whole = dropped and len(dropped) == sum(",
        "whole = dropped and 0 != sum(",
        "colors",
    ),
    "frames renamed into other frames": Mutant(
        "plan/update_values",
        "if changes.is_merged(value.link) and not changes.is_frame_changed(value.link):",
        "if changes.is_merged(value.link):",
        "follow/gazebo_plugin",
    ),
    "frames renamed into others beside them": Mutant(
        "plan/reference_updates",
        "norm(self.T_new_old(link).translation) > SAME_FRAME or",
        "",
        "shifted",
    ),
    "turned frames not warned of": Mutant(
        "plan/update_values",
        "elif changes.is_frame_rotated(value.link) and not changes.is_merged(value.link):\n",
        "elif False:\n",
        "follow/gazebo_plugin",
    ),
    "collisions named like no other": Mutant(
        "plan/update_values",
        'changes.set(shape, "name", text)',
        'changes.set(shape, "name", text + "x")',
        "follow/gazebo_contact",
    ),
    "ranges on one side keep it": Mutant(
        "plan/update_values", 'changes.set(element, "name", end)', "pass", "follow/ros2_control"
    ),
    "entries of a tensor that are written twice": Mutant(
        "apply/apply_plan_passes",
        "inertia.set(mirrored, format_number(value))",
        "pass",
        "follow/attributes",
    ),
    "signs of the note": Mutant(
        "plan/result_notes",
        "JointMap(first.sign * then.sign, zero)",
        "JointMap(first.sign, zero)",
        "follow/transmission",
    ),
    "signs of the note of an earlier run": Mutant(
        "plan/result_notes",
        "JointMap(first.sign * then.sign, zero)",
        "JointMap(then.sign, zero)",
        "noted",
    ),
    "zeros of the note of an earlier run": Mutant(
        "plan/result_notes",
        "JointMap(first.sign * then.sign, zero)",
        "JointMap(first.sign * then.sign)",
        "noted",
    ),
    "names in the note": Mutant(
        "urdf/urdf_notes",
        "NOT_IN_NOTES.sub(lambda",
        "NOT_IN_NOTES.sub('_', name) or (lambda",
        "noted",
    ),
    "joints in the note that are no more": Mutant(
        "plan/result_notes",
        "maps: Dict[str, NotedJointMap] = {}",
        "maps: Dict[str, NotedMap] = dict(noted)",
        "noted",
    ),
    "names in the original file": Mutant(
        "plan/result_notes", "before._replace(", "NotedMap()._replace(", "noted"
    ),
    # variants
    "a limit that moves the wrong way": Mutant(
        "apply/apply_plan_passes",
        "planned.map.text_of(text)",
        "planned.map._replace(zero=-planned.map.zero).text_of(text)",
        ZEROS,
    ),
    "a mimic without the zero of the follower": Mutant(
        "apply/apply_plan_passes",
        "planned.map.text_of(offset",
        "planned.map._replace(zero=0.0).text_of(offset",
        ZEROS,
    ),
    "a mimic without the zero of the leader": Mutant(
        "apply/apply_plan_passes",
        "*[(factor, repr(leader.zero))] * (leader.zero != 0.0)",
        "",
        ZEROS,
    ),
    "locked at another position": Mutant(
        "edit/joint_edits",
        "motion_in_child(joint, position))",
        "motion_in_child(joint, 1.1 * position))",
        "variants/two_arms --lock waist_yaw=0.3",
    ),
    "a zero at another position": Mutant(
        "robot/joint_motion",
        "rotation_about(unit(joint.axis), position)",
        "rotation_about(unit(joint.axis), -position)",
        ZEROS,
    ),
    "another part that goes": Mutant(
        "edit/joint_edits",
        "for top in links for link in draft.below(top)}",
        "for link in links}",
        "variants/two_arms --drop left_hand",
    ),
    "dropped links that stay": Mutant(
        "edit/joint_edits",
        "list(map(draft.copy, lost))",
        "list(map(draft.copy, lost[:-1]))",
        "variants/two_arms --drop left_hand",
    ),
    "what names a dropped link stays": Mutant(
        "edit/move_frames",
        "for holder in dropped:",
        "for holder in []:",
        "variants/two_arms --drop left_hand",
    ),
    "what names nothing dropped goes": Mutant(
        "edit/move_frames",
        "is_gone = name in removed_names or (",
        "is_gone = True or (",
        "variants/two_arms --drop left_hand",
    ),
    "offsets and references off by a zero": Mutant(
        "plan/update_values",
        "return [(factor, repr(changes.map_of(joint).zero))",
        "return [(factor, repr(2.0 * changes.map_of(joint).zero))",
        ZEROS,
    ),
    "the sign of the axis that is kept": Mutant(
        "plan/canonical_frames",
        "axis_sign=side * sign",
        "axis_sign=1",
        "variants/two_arms --keep-signs",
    ),
    "a zero that nobody asked for": Mutant(
        "plan/canonical_frames", "JointMap(sign)", "JointMap(sign, 1.0)", "clashing"
    ),
    "a zero that the law does not know": Mutant(
        "edit/joint_edits",
        "names = {robot.above[child].name: joint_map for",
        "names = {robot.above[child].name: AS_IT_WAS for",
        "variants/two_arms --zero right_elbow=middle",
    ),
    "a sign that no axis asks for": Mutant(
        "plan/canonical_frames",
        "sign = 1 if keeps_sign else side",
        "sign = 1 if keeps_sign else -side",
        "signs",
    ),
    "a sign that is not kept": Mutant(
        "plan/canonical_frames",
        "sign = 1 if keeps_sign else side",
        "sign = side",
        "variants/two_arms --keep-signs",
    ),
    "a sign that an earlier run kept": Mutant(
        "urdf/urdf_notes", "*signs_noted(robot.document), ", "", "kept"
    ),
    "a joint that is not flipped": Mutant(
        "edit/joint_edits", "if sign < 0:", "if sign < -1:", "variants/two_arms --flip waist_yaw"
    ),
    "the zero in the note": Mutant(
        "plan/result_notes",
        "return JointMap(first.sign * then.sign, zero)",
        "return JointMap(first.sign * then.sign, first.zero)",
        ZEROS,
    ),
    "SRDF states without the zero": Mutant(
        "srdf/follow_urdf",
        "new_value = joint_map.text_of(value)",
        "new_value = joint_map._replace(zero=0.0).text_of(value)",
        "srdf/two_arms --zero right_elbow=0.35",
    ),
    # SRDF
    "SRDF names of another link": Mutant(
        "srdf/srdf_editor",
        "element.set(attribute, member.target)",
        "element.set(attribute, name if attribute == 'tip_link' else self.plan.robot.root)",
        "srdf/arm",
    ),
    "SRDF states not negated": Mutant(
        "srdf/follow_urdf",
        "new_value = joint_map.text_of(value)",
        "new = joint_map._replace(sign=1).text_of(value)",
        "srdf/arm",
    ),
    "SRDF spheres not moved": Mutant(
        "srdf/srdf_editor",
        "new = without_noise(move(editor.plan.placements[link], (x, y, "
        "z)), LENGTH_NOISE_OF_SPHERES)",
        "new = (x + 0.1, y, z)",
        "srdf/arm",
    ),
    "SRDF joints that are removed stay": Mutant(
        "srdf/follow_urdf", "drop_elements(editor.document.root, [element])", "pass", "srdf/arm"
    ),
    "SRDF frames of goals move unnoticed": Mutant(
        "srdf/follow_urdf",
        "link in warned or has_other_warning or",
        "link or",
        "srdf/arm --merge-all",
    ),
    "SRDF pairs dropped": Mutant(
        "srdf/srdf_editor", "if is_repeated or len(pair) < len(old):", "if True:", "srdf/arm"
    ),
    "a joint without its parent": Mutant(
        "apply/apply_plan_passes",
        '_child(element, "parent").set("link", planned.parent)',
        '_child(element, "parent").unset("link")',
        "arm",
    ),
    "an open bound lets another change": Mutant(
        "plan/update_values",
        "if not all(new_values.values())",
        "if not any(new_values.values())",
        "open_bound",
    ),
    # COLLADA
    "twice the unit": Mutant(
        "collada/collada_scene",
        "scale_element([unit_factor(document, options, notes)] * 3)",
        "scale_element([2.0 * unit_factor(document, options, notes)] * 3)",
        "painted_arm",
    ),
    "maps composed wrongly": Mutant(
        "collada/collada_scene",
        "compose(matrix, node_transform(document, element))",
        "compose(node_transform(document, element), matrix)",
        "nested_nodes.dae",
    ),
    "all windings reversed": Mutant(
        "collada/collada_to_stl", "if mirrored:", "if not mirrored:", "painted_arm"
    ),
    "numbers read otherwise": Mutant(
        "collada/collada_accessors",
        'element.numbers.frombytes(pack(f"{len(numbers)}d", *numbers))',
        "element.numbers.extend([2.0 * number for number in numbers])",
        "two_materials.dae",
    ),
    "strips wound wrongly": Replaced(
        "meshes/rare_collada",
        "strip_triangles",
        lambda right: lambda corners: [*chain(*zip(corners, corners[1:], corners[2:]))],
        "tristrips.dae",
    ),
    "fans wound wrongly": Replaced(
        "meshes/rare_collada",
        "fan_triangles",
        lambda right: lambda corners: right([corners[0], *corners[:0:-1]]),
        "trifans.dae",
    ),
    "quads cut outside": Replaced(
        "collada/polygon_triangulation",
        "quad_triangles",
        lambda right: lambda corners, points: other_diagonal(corners, right(corners, points)),
        "quad_concave.dae",
    ),
    "ears cut outside": Mutant(
        "collada/polygon_triangulation",
        "if not area > 0.0:",
        "if not area < 0.0:",
        "six_corners_concave.dae",
    ),
    "colors reversed": Replaced(
        "collada/collada_colors",
        "clamped_color",
        lambda right: lambda numbers: (*right(numbers)[2::-1], right(numbers)[3]),
        "two_materials.dae",
    ),
    "no material is found": Mutant(
        "collada/collada_document",
        "if descendant.tag in tags:",
        "if descendant.tag not in tags:",
        "two_materials.dae",
    ),
    "positions from another column": Mutant(
        "collada/collada_accessors",
        "[params.index(name) if name in params else -1 for name in names]",
        "[*range(len(names))]",
        "accessor_columns_turned.dae",
    ),
    "a box that is too large": Replaced(
        "collada/stl_part_writer",
        "columns_bounds",
        lambda right: (
            lambda columns: (right(columns)[0], tuple(2.0 * end for end in right(columns)[1]))
        ),
        "two_materials.dae",
    ),
    "a box that is too small": Replaced(
        "collada/stl_part_writer",
        "columns_bounds",
        lambda right: lambda columns: (right(columns)[0], right(columns)[0]),
        "two_materials.dae",
    ),
    "a triangle is lost and another is there twice": Mutant(
        "collada/stl_part_writer",
        "piece.writer.append(records)",
        "piece.writer.append(records[1:] + records[1:2])",
        "painted_arm",
    ),
    "polygons are lost and another is there twice": Mutant(
        "collada/stl_part_writer",
        "piece.writer.append(records)",
        "piece.writer.append(records[0:2] * 4 + records[8:])",
        "polylist_row_of_quads.dae",
    ),
    "the last of a row is lost": Mutant(
        "collada/stl_part_writer",
        "piece.writer.append(records)",
        "piece.writer.append(records[0:6] + records[0:2] + records[8:])",
        "polylist_row_of_quads.dae",
    ),
    "points are not shifted": Mutant(
        "collada/stl_part_writer",
        "[a * x + shift for x in xs]",
        "[a * x for x in xs]",
        "nested_nodes.dae",
    ),
    "normals against the winding": Mutant(
        "collada/binary_stl", "nz / length + 0.0, ax", "-nz / length, ax", "two_materials.dae"
    ),
    "polygons that lose a corner": Mutant(
        "collada/collada_primitives",
        "        start += size\n",
        "        start += min(size, 3)\n",
        "polylist_mixed.dae",
    ),
    "the last index is lost": Mutant(
        "collada/collada_accessors", "    if carried:\n        yield carried\n", "", "tristrips.dae"
    ),
    "a box of other columns": Mutant(
        "collada/stl_part_writer",
        "bounds = columns_bounds([x, y, z])",
        "bounds = columns_bounds([y, y, z])",
        "five_corners_convex.dae",
    ),
    "a part is lost": Mutant(
        "collada/collada_to_stl",
        "for number, piece in enumerate(group.pieces, start=first)",
        "for number, piece in enumerate(group.pieces[1:], start=first)",
        "two_materials.dae",
    ),
    "an instance is lost": Mutant(
        "collada/collada_scene",
        "return [drawing for drawing in drawings if drawing is not None]",
        "return [drawing for drawing in drawings if drawing is not None][1:]",
        "instance_node_twice.dae",
    ),
    "normals that are too long": Mutant(
        "collada/binary_stl", "nz / length + 0.0, ax", "2.0 * nz, ax", "two_materials.dae"
    ),
    "triangles of little area are left out": Mutant(
        "collada/binary_stl", "if length > 0.0:", "if length > 1.5:", "polylist_mixed.dae"
    ),
    "a color for all": Mutant(
        "collada/collada_to_stl",
        "key = (look.rgba, look.image, look.emission)",
        "key = look.image",
        "two_materials.dae",
    ),
    "accessor offset ignored": Mutant(
        "collada/collada_accessors",
        "numbers[offset + column::stride]",
        "numbers[column::stride]",
        "accessor_offset_3.dae",
    ),
}


def module_of(name):
    return importlib.import_module("urdf_tools." + name.replace("/", "."))


def in_any_layout(code):
    """Return a pattern of a piece of code that is found wherever the formatter breaks its lines."""
    words = re.findall(r"\w+|[^\w\s]", code)
    pattern = ""
    for before, word in zip(["", *words], words):
        # Two names need a blank between them, and a bracket that closes on its own line has a comma in front of it.
        blank = r"\s+" if before[-1:].isalnum() and word[0].isalnum() else r"\s*"
        comma = r"(?:,\s*)?" if word in ")]}" and before != "," else ""
        pattern += blank * bool(before) + comma + re.escape(word)
    return re.compile(pattern)


class MutatedLoader(importlib.machinery.SourceFileLoader):
    """Loads a module from its file with a text in it replaced, wherever that stands."""

    def __init__(self, mutant, module):
        super().__init__(module.__name__, str(module.__file__))
        self.mutant = mutant

    def get_code(self, fullname):
        source = Path(self.path).read_text("utf-8")
        right, wrong = self.mutant.right, self.mutant.wrong
        found = re.compile(re.escape(right)) if right in source else in_any_layout(right)
        mutated, count = found.subn(lambda _: wrong, source)
        assert count, f"{self.mutant.module} has no {right!r}"
        return compile(mutated, self.path, "exec")


def mutated_copy(mutant):
    """Import a module anew with its wrong line; `sys.modules` keeps the right one."""
    loader = MutatedLoader(mutant, module_of(mutant.module))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    copy = importlib.util.module_from_spec(spec)
    loader.exec_module(copy)
    return copy


def code_of(member):
    """Return the code of a function, a method or a property; None of anything else."""
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    return getattr(function, "__code__", None)


def with_others(value, others):
    """Return what stands for a function by its id, or for a tuple or record that holds such functions; else itself."""
    if isinstance(value, tuple) and not others.keys().isdisjoint(map(id, value)):
        members = [others.get(id(member), member) for member in value]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    return others.get(id(value), value)


@contextlib.contextmanager
def replaced(functions, methods=()):
    """Put other functions in the place of these wherever a module or its table has them, and methods into classes."""
    others, count = {id(right): wrong for right, wrong in functions}, 0
    modules = [
        vars(module) for name, module in sys.modules.items() if name.startswith("urdf_tools.")
    ]
    tables = {
        id(value): value
        for space in modules
        for name, value in space.items()
        if isinstance(value, dict) and not name.startswith("__")
    }
    with pytest.MonkeyPatch.context() as patch:
        for table in (*modules, *tables.values()):
            changed = {
                name: other
                for name, value in table.items()
                for other in [with_others(value, others)]
                if other is not value
            }
            for name, other in changed.items():
                patch.setitem(table, name, other)
            count += len(changed)
        for owner, name, wrong in methods:
            patch.setattr(owner, name, wrong)
        assert count or methods, "nobody calls it"
        yield


@contextlib.contextmanager
def broken(mutant):
    """Work with the functions and methods that differ between a module and its mutated copy, or with a wrong one."""
    whole_package()  # a module that were loaded meanwhile would keep the wrong one
    module = module_of(mutant.module)
    if isinstance(mutant, Replaced):
        right = getattr(module, mutant.function)
        functions, methods = [(right, mutant.wrong(right))], []
    else:
        copy = vars(mutated_copy(mutant))
        members = {
            name: value
            for name, value in vars(module).items()
            if getattr(value, "__module__", "") == module.__name__
        }
        functions = [
            (value, copy[name])
            for name, value in members.items()
            if code_of(value) != code_of(copy[name])
        ]
        owners = [
            (owner, vars(copy[owner.__name__]))
            for owner in members.values()
            if isinstance(owner, type)
        ]
        # Pickling adds names.
        methods = [
            (owner, name, wrong[name])
            for owner, wrong in owners
            for name, value in vars(owner).items()
            if name in wrong and code_of(value) != code_of(wrong[name])
        ]
        assert functions or methods, "the mutant changes nothing"
    with replaced(functions, methods):
        yield


def run(robot):
    """Run the command line on a robot: one of the texts above, a fixture, or one that shows a COLLADA fixture.

    Behind its name there may be options.
    """
    robot, *options = robot.split()
    args = ["--yes", *options] if has_acts(options) else ["--yes", "--base-frame", "ros", *options]
    if robot.endswith(".dae"):
        mesh = f'<mesh filename="meshes/{robot}"/>'
        source = f'<robot name="r"><link name="a"><visual><geometry>{mesh}</geometry></visual></link></robot>'
        meshes = FIXTURES / "dae" / "valid"
        return golden.run(
            main, source.encode("utf-8"), [*args, "--separate-dae-meshes"], meshes=meshes
        )
    if robot in ROBOTS:
        # Where mesh names read otherwise.
        output = ["-o", "meshes/out.urdf"] if robot == "copies" else []
        return golden.run(
            main,
            ROBOTS[robot].encode("utf-8"),
            [*args, *output],
            meshes=FIXTURES / "painted_arm/meshes",
        )
    folder = FIXTURES / robot
    srdf = (folder / "robot.srdf").read_bytes() if (folder / "robot.srdf").exists() else None
    meshes = folder / "meshes"
    own = golden.Case(folder, "merge_all").args if robot not in NOT_MERGED else []
    args = (
        ["--yes", *options, *own] if "--base-frame" in own or has_acts(options) else [*args, *own]
    )
    args += ["--srdf", "robot.srdf"] if srdf else []
    args += ["--separate-dae-meshes", "--jobs", "1"] if meshes.is_dir() else []
    return golden.run(
        main, (folder / "robot.urdf").read_bytes(), args, srdf, meshes if meshes.is_dir() else None
    )


@pytest.mark.parametrize("robot", sorted({mutant.robot for mutant in MUTANTS.values()}))
def test_the_proof_holds_where_nothing_is_wrong(robot):
    done = run(robot)
    assert done.status == 0, done.errors


@pytest.mark.parametrize("name", MUTANTS)
def test_the_proof_refuses(name):
    mutant = MUTANTS[name]
    with broken(mutant):
        done = run(mutant.robot)
    assert (done.status, done.data) == (3, None), done.report[-300:] + done.errors


def test_there_are_many():
    assert len(MUTANTS) >= 25
