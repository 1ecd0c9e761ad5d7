"""Pages for the tests: made as the command line makes them, and read as a browser would."""

from collections import namedtuple
import html.parser
import json
import re

from page_proof import verify_drawn, verify_map
from remade import LINES, times, turn

from urdf_tools.export.run_as_comparison import map_of_run
from urdf_tools.export.page.run_page import page_of_run
from urdf_tools.export.page.write_page import html_text
from urdf_tools.export.export_request import ExportRequest, SharedExportValues
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.srdf.verify_srdf import srdf_companion
from urdf_tools.urdf.spatial_math import IDENTITY, IDENTITY_POSE, Transform

HOSTILE = (
    "</script><!--<script>x",
    '" onclick="x',
    "'><img src=x onerror=x>",
    "\u202eesrever\u2028",
    "{{mesh}}{{rows}}{{data}}",
    "__proto__",
)
VOID = {"meta", "input", "br", "link", "img", "wbr"}


class Page(namedtuple("Page", "text result data robots")):
    """A page as text, what it was made of, the data in it, and the map."""


def make_page(path, triangles=200_000, srdf=None, **choices):
    """Return the page of a run on a robot; nothing is written."""
    beside = [srdf_companion(srdf, "robot.srdf")] if srdf else []
    result = simplify_bytes(path.read_bytes(), str(path), Options(**choices), companions=beside)
    return page_of(result, path, triangles)


def page_of(result, path, triangles=200_000, **others):
    """Return the page of a run, which shows the robots of its texts."""
    chosen = {"page": "page.html", "page_triangles": triangles, **others}
    request = ExportRequest(result, chosen, str(path), "", SharedExportValues())
    text, _ = html_text(page_of_run(request), triangles)
    data = json.loads(block(text, "data"))
    before, after = (read_urdf(one, str(path)) for one in (result.source, result.data))
    robots = map_of_run(result, before, after)
    verify_drawn(data, robots)
    if result.changed:
        verify_map(data, robots)
    return Page(text, result, data, robots)


def block(text, identity):
    """Return what is in the script element of that id."""
    found = re.search(rf'<script type="[a-z/]+" id="{identity}">(.*?)</script>', text, re.S)
    assert found, f"no block '{identity}'"
    return found.group(1)


class Reader(html.parser.HTMLParser):
    """Checks that every element is closed in its turn, and collects tags, attributes, texts and tables."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.tags = []
        self.texts = []
        self.tables = {}
        self._section = ""

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        elif tag == "tr":
            self.tables.setdefault(self._section, []).append([])
        elif tag in ("td", "th"):
            self.tables[self._section][-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open[-3:], self.getpos())

    def handle_data(self, data):
        if self.open:
            self.texts.append((self.open[-1], data))
        if {"td", "th"} & set(self.open):
            self.tables[self._section][-1][-1] += data


def read_page(text):
    """Return a page that was read to its end, well-formed."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def hostile_text():
    """Return a chain of links whose names are what a page must not believe."""
    body = (
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
        "<visual><geometry><box size='.1 .1 .1'/></geometry></visual>"
    )
    names = [
        name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        for name in ("base", *HOSTILE)
    ]
    links = [f'<link name="{name}">{body}</link>' for name in names]
    joints = [
        f'<joint name="{child}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        '<origin xyz="0 0 .2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for parent, child in zip(names, names[1:])
    ]
    return f'<robot name="{names[1]}">{"".join(links + joints)}</robot>'


def pose_of(numbers):
    return Transform(tuple(tuple(numbers[k : k + 3]) for k in (0, 3, 6)), tuple(numbers[9:]))


def places(robot, q, T_root):
    """Return T_world_link of a robot of a page, from nothing but its data; joints that `q` leaves out are as drawn."""
    bodies = [T_root] * len(robot["links"])
    for number, joint in enumerate(robot["joints"]):
        by = q.get(number, joint.get("reference", 0.0)) - joint.get("reference", 0.0)
        moved = IDENTITY_POSE
        if joint["type"] == "prismatic":
            moved = Transform(IDENTITY, tuple(by * part for part in joint["axis"]))
        elif joint["type"] in LINES:
            moved = turn(tuple(joint["axis"]), by)
        bodies[joint["child"]] = times(times(bodies[joint["parent"]], pose_of(joint["T"])), moved)
    return {
        name: times(bodies[number], pose_of(T))
        for number, link in enumerate(robot["links"])
        for name, T in link["parts"]
    }


def mapped(data, q):
    """Return the positions of B that a page gives."""
    return {
        number: joint["sign"] * q[joint["by"]] + joint["offset"]
        for number, joint in enumerate(data["old"]["joints"])
        if joint.get("by") in q
    }


def poses_of_page(data, moved):
    """Return T_world_link of both robots of a page, from nothing but its data, by the positions of joints that have a slider."""
    q = {k: 0.0 for k, joint in enumerate(data["new"]["joints"]) if joint["type"] in LINES}
    q.update(moved)
    for follower, leader, factor, offset in data["new"]["followers"]:
        q[follower] = factor * q[leader] + offset
    return {
        "new": places(data["new"], q, IDENTITY_POSE),
        "old": places(data["old"], mapped(data, q), pose_of(data["base"])),
    }


def apart(found, wanted):
    """Return the largest difference of what a page says of poses from these; they must be of the same links."""
    assert {side: set(found[side]) for side in wanted} == {
        side: set(poses) for side, poses in wanted.items()
    }
    return max(
        abs(p - q)
        for side, poses in wanted.items()
        for link, T in poses.items()
        for p, q in zip((*sum(T.rotation, ()), *T.translation), found[side][link])
    )
