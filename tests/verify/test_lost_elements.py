"""What is outside the links and joints of URDF is in the result, or is there already, or is in a warning."""

import urdf_tools.run.run_pipeline as pipeline
from urdf_tools.base.errors import ProofFailed
from urdf_tools.plan.plan_decisions import make_plan
from urdf_tools.plan.run_options import Options
from urdf_tools.urdf.lossless_xml import parse_document

LINK = """<link name="{}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><box size="1 1 1"/></geometry></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision>
{}</link>"""
# The link b becomes a part of a. Both say the same in <hint>, <twice> and <mu1>: one of two may go. What is alike
# elsewhere belongs to something else: to another link or plugin, to a joint and to the block about it.
ROBOT = f"""<robot name="r">
{LINK.format("a", '<sensor name="s"><ray>1</ray></sensor><hint>1</hint>')}
{LINK.format("b", '<sensor name="t"><ray>2</ray></sensor><hint>1</hint>')}
{LINK.format("c", "")}
<joint name="weld" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="hinge" type="continuous"><parent link="a"/><child link="c"/><lock>1</lock></joint>
<gazebo reference="a"><glow>1</glow><twice>3</twice><mu1>0.5</mu1></gazebo>
<gazebo reference="b"><glow>2</glow><twice>3</twice><mu1>0.5</mu1></gazebo>
<gazebo reference="c"><glow>1</glow></gazebo>
<gazebo reference="hinge"><lock>1</lock></gazebo>
<gazebo><plugin name="p" filename="p.so"><topic>x</topic></plugin></gazebo>
<gazebo><plugin name="q" filename="p.so"><topic>x</topic></plugin></gazebo>
<transmission name="drive"><joint name="hinge"/><actuator name="motor"/></transmission>
<ros2_control name="system" type="system"><joint name="hinge"/></ros2_control>
</robot>"""


def outside(text):
    """Yield all topmost elements that URDF does not define, and what is in them."""
    for top in parse_document(text.encode(), "robot.urdf", {}).root.elements():
        known = ("inertial", "visual", "collision", "parent", "child")
        in_urdf = top.name in ("link", "joint")
        for inside in top.elements() if in_urdf else [top]:
            if inside.name not in known:
                yield from inside.walk()


def is_proven_without(element, monkeypatch):
    """Return True if a run that drops one more element, and says nothing of it, passes its proof."""

    def losing(*given):
        plan = make_plan(*given)
        (lost,) = (e for e in plan.robot.document.root.walk() if e.offset == element.offset)
        drops = dict.fromkeys((*plan.updates.drops, lost))
        return plan._replace(updates=plan.updates._replace(drops=tuple(drops)))

    monkeypatch.setattr(pipeline, "make_plan", losing)
    try:
        pipeline.simplify_bytes(ROBOT.encode(), "robot.urdf", Options(base_frame="ros"))
    except ProofFailed:
        return False
    return True


def test_an_element_that_is_lost_without_a_word_is_seen(monkeypatch):
    passed = {
        (element.name, element.text())
        for element in outside(ROBOT)
        if is_proven_without(element, monkeypatch)
    }
    assert passed == {("hint", "1"), ("twice", "3"), ("mu1", "0.5")}
