"""The kinds of diagnostics of all rooms, and the smallest input that shows each.

Whoever explains or lists them needs them all, an export a few.
"""
from typing import Mapping, Tuple

from ..base.diagnostics import Kind
from ..base.kinds import KINDS
from ..collision.kinds import COLLISION_KINDS
from ..edit.kinds import EDIT_KINDS
from ..formats.kinds import FORMAT_KINDS
from ..inputs.kinds import INPUT_KINDS
from ..lint.kinds import LINT_KINDS
from ..meshes.kinds import MESH_KINDS
from ..model.kinds import MODEL_KINDS
from ..srdf.kinds import SRDF_KINDS

EXPORT_KINDS: Tuple[Kind, ...] = (*KINDS, *SRDF_KINDS, *MODEL_KINDS, *INPUT_KINDS, *EDIT_KINDS, *LINT_KINDS,
                                  *COLLISION_KINDS, *MESH_KINDS, *FORMAT_KINDS)


SHIN_TWICE = ('<link name="shin_2"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" '
              'izz="0.01"/></inertial></link><joint name="knee"><child link="shin_2"/></joint>')
EXAMPLES: Mapping[str, str] = {  # of the kinds that the single file has, too; others have theirs in their row
    "base-frame": '<axis xyz="1 0 0"/>',
    "unused-option": "--keep nobody",
    "repaired": '<axis xyz="0,0,1"/>',
    "assumed-value": '<inertial><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial> --lenient',
    "loop-cut": '<joint name="rod" type="continuous"><parent link="base_link"/><child link="foot"/></joint> --lenient',
    "xacro-text": '<gazebo><plugin name="p">${prefix}base</plugin></gazebo>',
    "no-geometry": "<visual/>",
    "unreadable-geometry": '<visual><geometry><cone radius="1" length="1"/></geometry></visual>',
    "no-inertia": '<inertial><mass value="1"/></inertial>',
    "no-limit": '<joint name="knee" type="revolute"><parent link="base_link"/><child link="shin"/></joint>',
    "mimic": '<mimic joint="nobody"/>',
    "inertia": '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="9"/></inertial>',
    "no-mass": '<link name="toe"/><joint name="toe_joint"><child link="toe"/></joint>',
    "world-content": '<robot name="leg"><link name="world"><visual><geometry><sphere radius="1"/></geometry></visual>'
        '</link></robot>',
    "root-mass": '<link name="base_link"/><link name="ballast"><inertial><mass value="1"/><inertia ixx="1" ixy="0" '
        'ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="bolts" type="fixed">'
        '<parent link="base_link"/><child link="ballast"/></joint>',
    "axis-name": '<joint name="knee_roll" type="revolute"><origin xyz="0 0 0.1"/><parent link="shin"/>'
        '<child link="toe"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        '<link name="toe"/>',
    "free-joint": '<joint name="knee" type="floating"><origin rpy="1 0 0"/><parent link="base_link"/>'
        '<child link="shin"/></joint>',
    "exported-twice": SHIN_TWICE,
    "exported-once": f"{SHIN_TWICE} --count-once",
    "joint-twice": '<link name="a"/><joint name="knee"><child link="a"/></joint> --no-merge',
    "renamed-joint": '<link name="a"/><joint name="knee"><origin xyz="1 0 0"/><child link="a"/>'
        '</joint> --lenient',
    "mesh-not-found": '<mesh filename="gone.dae"/> --separate-dae-meshes',
    "package-assumed": '<mesh filename="package://leg/cube.stl"/> --mesh-paths relative',
    "mesh-folder": '<mesh filename="cube.stl"/><mujoco><compiler meshdir="meshes"/></mujoco> --mesh-paths relative',
    "mesh-unreadable": '<mesh filename="broken.dae"/> --separate-dae-meshes',
    "mesh-content": '<mesh filename="meshes/gripper.dae"/> --separate-dae-meshes',
    "mesh-colors": '<mesh filename="meshes/base.dae"/> --separate-dae-meshes',
    "mesh-size": '<mesh filename="meshes/base.dae"/> --separate-dae-meshes --scale 1000',
    "mesh-planar": '<mesh filename="meshes/sign.dae"/> --separate-dae-meshes',
    "merged-link": '<mujoco><exclude body2="foot"/></mujoco>',
    "frame-name": '<gazebo><plugin name="p"><frame_id>foot</frame_id></plugin></gazebo>',
    "dropped-name": '<mujoco><exclude body2="foot"/></mujoco> edit --drop foot',
    "removed-joint": '<gazebo reference="ankle"><stopCfm>0.1</stopCfm></gazebo>',
    "merged-content": '<link name="shin"><grip force="1"/></link><link name="foot"><grip force="2"/></link>',
    "surface-merged": '<gazebo reference="foot"><mu1>0.9</mu1></gazebo> --merge-all',
    "body-merged": f'{SHIN_TWICE}<gazebo reference="shin_2"><turnGravityOff>true</turnGravityOff></gazebo>',
    "element-dropped": '<joint name="ankle" type="fixed"><parent link="shin"/><child link="foot"/><bolts n="4"/>'
        '</joint>',
    "flipped-joint": '<gazebo reference="knee"><initialPosition>1</initialPosition></gazebo>',
    "moved-zero": '<gazebo reference="knee"><initialPosition>1</initialPosition></gazebo> edit --zero knee=0.1',
    "transmission-sign": '<transmission name="t"><joint name="knee"/></transmission>',
    "hardware-sign": '<ros2_control name="c"><hardware><plugin>Driver</plugin></hardware><joint name="knee"/>'
        '</ros2_control>',
    "coupling-sign": '<coupling><predecessor link="base_link"/><successor link="shin"/><ratio value="2"/></coupling>',
    "unknown-pose": '<mount link="shin" xyz="1 0 0"/>',
    "unreadable-pose": '<gazebo><frame name="f" attached_to="other::shin"/></gazebo>',
    "unreadable-vector": '<drake:ball_constraint><drake:ball_constraint_body_A name="shin"/>'
        '<drake:ball_constraint_p_AP value="left"/></drake:ball_constraint>',
    "sensor-frame": '<gazebo reference="knee"><sensor name="s" type="force_torque"/></gazebo>',
    "direction-frame": '<gazebo reference="base_link"><fdir1 gz:expressed_in="shin">1 0 0</fdir1></gazebo>',
    "added-mass": '<gazebo reference="shin"><inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>'
        '</gazebo>',
    "plugin-vector": '<gazebo><plugin name="p"><link_name>shin</link_name><forward>1 0 0</forward></plugin></gazebo>',
    "plugin-body": '<gazebo><plugin name="p"><body_name>shin</body_name></plugin></gazebo>',
    "contact-collision": "<gazebo><contact><collision>foot_collision_7</collision></contact></gazebo>",
    "wider-filter": '<drake:collision_filter_group name="g"><drake:member link="foot"/></drake:collision_filter_group>',
    "missing-point": '<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="shin"/>'
        '</drake:linear_spring_damper>',
    "bushing-frame": '<drake:linear_bushing_rpy><drake:bushing_frameA name="shin"/></drake:linear_bushing_rpy>',
    "loop-frame": '<loop name="rod"><predecessor>shin</predecessor></loop>',
    "gravity": '<mujoco><option gravity="0 -9.81 0"/></mujoco> --base-frame x=forward,y=up,z=right',
}


def example_of(kind: Kind) -> str:
    """Return elements of the leg of the examples, and options behind them, that show a kind."""
    return kind.example or EXAMPLES[kind.name]
