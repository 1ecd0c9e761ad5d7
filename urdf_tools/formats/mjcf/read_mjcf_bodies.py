"""The bodies of MJCF as the file nests them, with their joints, geoms, sites and cameras; frames are folded in.

Their mass properties are explicit or inferred from geoms, with the bounds of `<compiler>` (XML reference).
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Iterator, List, Optional, Sequence, Set, Tuple

from ...base.type_aliases import Reals, Span, Texts
from ...base.record_type import Record
from ...robot.principal_axes import diagonal, entries_of, multiple, principal, solid_mass
from ...robot.raw_robot import RawMass, Values
from ...urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    MassProperties,
    Matrix,
    merge_mass,
    move,
    move_mass,
    norm,
    Transform,
    rotate,
    rotate_inertia,
    unit,
    Vector,
    ZERO,
    ZERO_INERTIA,
)
from ..xml_reader import XmlElement
from .read_mjcf_settings import (
    AttributesWithDefaults,
    DefaultClasses,
    is_limited,
    pose_of,
    position_of,
    rotation_of,
    MjcfSettings,
)
from .mujoco_mesh_masses import MeshMasses
from .read_mjcf_shapes import MjcfAssets, Geom, MeshAsset, pose_between, raw_sizes, read_geom


class BodyInertial(Record):
    """Mass properties of a body, in its frame; None: the file gives none.

    Attributes:
        unknown: the geom whose mass is not known, and what it comes from.
        notes: what a reader should know of the masses of its meshes.
        R_body_inertial: the axes in which the file wrote the tensor.
    """

    mass: Optional[MassProperties] = None
    R_body_inertial: Matrix = IDENTITY
    line: int = 0
    unknown: Optional[Tuple[XmlElement, str]] = None
    notes: Texts = ()

    def raw(self) -> Optional[RawMass]:
        """Return it as the record of all readers."""
        if self.mass is None:
            return None
        mass, center, tensor = self.mass
        return RawMass(
            mass=mass,
            center=center,
            tensor=entries_of(tensor),
            T_link_inertial=Transform(self.R_body_inertial, center),
            line=self.line,
        )


def read_inertial(element: XmlElement, settings: MjcfSettings) -> BodyInertial:
    """Return the mass properties of an `<inertial>`.

    Raises:
        BrokenRobot: it lacks what MuJoCo needs, or has it twice.
    """
    attrs = AttributesWithDefaults(element.take(), ())
    for name in ("pos", "mass"):
        if attrs.get(name) is None:
            element.refuse(f"<inertial> has no {name}")
    R = rotation_of(attrs, settings)
    moments = attrs.get("diaginertia")
    if attrs.get("fullinertia") is not None:
        if moments is not None or R is not IDENTITY:
            element.refuse(
                "<inertial> has a fullinertia, and says its axes or moments a second time"
            )
        # MuJoCo has the diagonal first, unlike URDF and SDF.
        xx, yy, zz, xy, xz, yz = attrs.numbers("fullinertia", (0.0,) * 6)
        tensor: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    else:
        tensor = rotate_inertia(R, diagonal(attrs.numbers("diaginertia", ZERO)))
    mass = attrs.number("mass", 0.0)
    if mass < 0.0:
        element.refuse(f"<inertial>: a mass of {mass:g} kg")
    return BodyInertial(MassProperties(mass, position_of(attrs), tensor), R, element.line)


def inertial_of(
    inertial: Optional[BodyInertial],
    geoms: Sequence[Geom],
    written_at: Tuple[Vector, int],
    settings: MjcfSettings,
    meshes: MeshMasses,
) -> BodyInertial:
    """Return the mass properties of a body: from its geoms if it has no inertial, or if `inertiafromgeom` asks.

    Args:
        written_at: the `pos` of the body as written, and its line.
        meshes: computes the mass properties of meshes.
    """
    written, line = written_at
    lowest, highest = settings.groups
    counted = [geom for geom in geoms if lowest <= geom.group <= highest]
    result = inertial or BodyInertial(line=line)
    is_forced = settings.from_geoms == "true" and counted
    is_missing = settings.from_geoms == "auto" and inertial is None
    if is_forced or is_missing:
        result = _inertial_of_geoms(counted, line, meshes)
        if result.unknown is not None:
            return result
    return result._replace(mass=_mended(result.mass, written, settings))


def _inertial_of_geoms(geoms: Sequence[Geom], line: int, meshes: MeshMasses) -> BodyInertial:
    """Return the mass properties of geoms together; `line` is the line of their body."""
    parts: List[MassProperties] = []
    notes: List[str] = []
    for geom in geoms:
        part, why = _part_of(geom, meshes, notes)
        if why:
            return BodyInertial(line=line, unknown=(geom.element, why))
        if part is not None:
            parts.append(move_mass(geom.T_body_geom, part))
    # Without a mass there is no center.
    has_mass = any(part.mass > 0.0 for part in parts)
    return BodyInertial(merge_mass(parts) if has_mass else None, line=line, notes=tuple(notes))


def _part_of(
    geom: Geom, meshes: MeshMasses, notes: List[str]
) -> Tuple[Optional[MassProperties], str]:
    """Return the mass properties of a geom in its frame, None for no mass; or what they come from if that is not known."""
    if geom.mass == 0.0 or geom.mass is None and geom.density == 0.0 or geom.type == "plane":
        return None, ""
    if geom.type == "hfield":
        return None, "a height field, which is not computed"
    if geom.mesh is not None:
        return _part_of_mesh(geom, geom.mesh, meshes, notes)
    if geom.shell:
        return None, "a surface (shellinertia), which is not computed"
    sizes = raw_sizes(geom)
    if geom.mass is None:
        return solid_mass(geom.type, sizes, geom.density), ""
    # Not by a second product: the mass keeps its digits.
    density = geom.mass / solid_mass(geom.type, sizes, 1.0).mass
    return solid_mass(geom.type, sizes, density)._replace(mass=geom.mass), ""


def _part_of_mesh(
    geom: Geom, mesh: MeshAsset, meshes: MeshMasses, notes: List[str]
) -> Tuple[Optional[MassProperties], str]:
    """Return the mass properties of a geom that is a mesh, or what they come from if that is not known."""
    if geom.type != "mesh":
        return None, f"mesh '{mesh.shown_name}', which is not computed"
    found = meshes.of(mesh)
    if found.whole is None:
        return None, found.why
    if found.note and found.note not in notes:
        notes.append(found.note)
    volume, center, tensor = found.whole
    density = geom.density if geom.mass is None else geom.mass / volume
    mass = geom.density * volume if geom.mass is None else geom.mass
    return MassProperties(mass, center, multiple(density, tensor)), ""


def _mended(
    mass: Optional[MassProperties], written: Vector, settings: MjcfSettings
) -> Optional[MassProperties]:
    """Return a mass with the bounds of `<compiler>`, and moments with A + B < C made equal.

    A mass that only a bound makes is at the point `written`, in the frame of the body, as in MuJoCo.
    """
    if settings.least_mass <= 0.0 and settings.least_moment <= 0.0 and not settings.balance:
        return mass
    before = mass if mass is not None else MassProperties(0.0, written, ZERO_INERTIA)
    moments, R = principal(before.inertia)
    mended = [max(moment, settings.least_moment) for moment in moments]
    # C > A + B, with C added on both sides; MuJoCo then takes the mean of all three.
    if settings.balance and 2.0 * max(mended) > math.fsum(mended):
        mended = [math.fsum(mended) / 3.0] * 3
    tensor = before.inertia
    if mended != list(moments):
        tensor = rotate_inertia(R, diagonal(mended))
    result = MassProperties(max(before.mass, settings.least_mass), before.center, tensor)
    return result if result.mass or any(mended) else None


WORLD = "world"
JOINTS = ("hinge", "slide", "ball", "free")
UNBOUND = ("ball", "free")  # no axis, no position of one number
NO_DIRECTION = 1e-13  # an axis this short is zero, up to rounding
REFUSED = {
    "replicate": "<replicate> makes copies while the model is compiled: expand it first (save the compiled model)",
    "attach": "<attach> puts another model in while the model is compiled: expand it first (save the compiled model)",
    "composite": "<composite> makes bodies while the model is compiled: expand it first (save the compiled model)",
    "flexcomp": "<flexcomp> makes bodies while the model is compiled: expand it first (save the compiled model)",
}


def unused(name: str, names: Set[str]) -> str:
    """Return a name that is not in `names`, and add it."""
    while name in names:
        name += "_"
    names.add(name)
    return name


class JointElement(Record):
    """A joint of a body: its type, a point on its axis and the axis, in the frame of the body.

    Attributes:
        reference: its position in the pose that the file draws.
        limits: of its position; effort: the range of what all its actuators together do.
        values: by name of VALUES.
    """

    element: XmlElement
    name: str
    type: str
    axis: Vector
    point: Vector
    reference: float
    limits: Optional[Span]
    effort: Optional[Span]
    values: Values


class PlacedSite(Record):
    """A site or a camera; pose: T_body_site or T_body_camera."""

    attrs: AttributesWithDefaults
    name: str
    pose: Transform


class BodyElement:
    """A body: its name, the number of its parent (-1: it is the world), T_parent_body, and its elements."""

    def __init__(self, element: XmlElement, name: str, parent: int, pose: Transform) -> None:
        """Begin without joints and geoms."""
        self.element = element
        self.name = name
        self.parent = parent
        self.pose = pose
        self.written = pose.translation  # before frames are folded in
        self.joints: List[JointElement] = []
        self.geoms: List[Geom] = []
        self.sites: List[PlacedSite] = []
        self.cameras: List[PlacedSite] = []
        self.inertial: Optional[BodyInertial] = None
        self.falls: Optional[float] = (
            None  # the part of its weight that gravity compensation leaves
        )
        self.mocap = False

    @property
    def free(self) -> bool:
        """Return True if it has a free joint."""
        return any(joint.type == "free" for joint in self.joints)


class BodyReader:
    """All bodies while they are read, in the order in which MuJoCo numbers them; the world is the first."""

    def __init__(self, classes: DefaultClasses, settings: MjcfSettings, assets: MjcfAssets) -> None:
        """Begin without bodies."""
        self.classes = classes
        self.settings = settings
        self.assets = assets
        self.bodies: List[BodyElement] = []
        self._names: Set[str] = set()  # written, or made here

    def read(self, root: XmlElement) -> List[BodyElement]:
        """Return the bodies.

        Raises:
            BrokenRobot: what MuJoCo refuses, or makes while it compiles.
        """
        worlds = root.all("worldbody")
        if not worlds:
            root.refuse("there is no <worldbody> in it")
        # All names in the file, so that generated names do not clash with them.
        elements = chain.from_iterable(world.walk() for world in worlds)
        self._names = {element.attributes.get("name", "") for element in elements}
        self.bodies.append(BodyElement(worlds[0], WORLD, -1, IDENTITY_POSE))
        for world in worlds:
            self._inside(world)
        # MuJoCo refuses these combinations of joints when it compiles a model.
        for body in self.bodies:
            kinds = [joint.type for joint in body.joints]
            if "free" in kinds and (len(kinds) > 1 or body.parent != 0):
                body.element.refuse(
                    f"body '{body.name}': a free joint stands alone, in a child of the world"
                )
            if kinds.count("ball") > 1 or "ball" in kinds and "hinge" in kinds:
                body.element.refuse(
                    f"body '{body.name}': a ball joint stands beside no other that turns"
                )
        return self.bodies

    def _inside(self, world: XmlElement) -> None:
        """Read the bodies, frames and other elements of the world, depth first."""
        # The remaining children of each open element, in place of calls: frames and bodies may be in each other without end.
        waiting: List[Tuple[Iterator[XmlElement], int, Transform, str]] = [
            (iter(world.children), 0, IDENTITY_POSE, self.classes.of_children(world))
        ]
        while waiting:
            children, number, T_body_frame, child_class = waiting[-1]
            child = next(children, None)
            if child is None:
                waiting.pop()
            elif child.tag in REFUSED:
                child.refuse(REFUSED[child.tag])
            elif child.tag in ("body", "frame"):
                holder = len(self.bodies)
                T_holder_inner = IDENTITY_POSE
                if child.tag == "body":
                    self._body(child, number, T_body_frame)
                else:
                    child.get("name")
                    T_frame_inner = pose_of(AttributesWithDefaults(child.take(), ()), self.settings)
                    holder = number
                    T_holder_inner = compose(T_body_frame, T_frame_inner)
                inner_class = self.classes.of_children(child, child_class)
                waiting.append((iter(child.children), holder, T_holder_inner, inner_class))
            else:
                self._part(child, self.bodies[number], T_body_frame, child_class)

    def _part(
        self, child: XmlElement, body: BodyElement, T_body_frame: Transform, child_class: str
    ) -> None:
        """Read what belongs to a body."""
        if child.tag in ("joint", "freejoint"):
            body.joints.append(self._joint(child, body, T_body_frame, child_class))
        elif child.tag == "geom":
            body.geoms.append(
                read_geom(
                    self.classes.attributes_of(child, child_class),
                    T_body_frame,
                    self.settings,
                    self.assets,
                )
            )
        elif child.tag in ("site", "camera"):
            attrs = self.classes.attributes_of(child, child_class)
            attrs.get("group")
            into = body.sites if child.tag == "site" else body.cameras
            pose = compose(T_body_frame, pose_between(attrs, self.settings)[0])
            into.append(PlacedSite(attrs, attrs.get("name") or "", pose))
        elif child.tag == "inertial":
            if (
                T_body_frame is not IDENTITY_POSE
                or body.inertial is not None
                or body is self.bodies[0]
            ):
                child.refuse("an <inertial> belongs in a body, once, and not in a frame")
            body.inertial = read_inertial(child, self.settings)

    def _body(self, element: XmlElement, parent: int, T_parent_frame: Transform) -> None:
        """Add a body, in a frame of its parent."""
        attrs = AttributesWithDefaults(element.take(), ())
        name = self._name(element, f"body_{len(self.bodies)}")
        T_frame_body = pose_of(attrs, self.settings)
        T_parent_body = T_frame_body
        # Without a product nothing is lost to rounding.
        if T_parent_frame is not IDENTITY_POSE:
            T_parent_body = compose(T_parent_frame, T_frame_body)
        body = BodyElement(element, name, parent, T_parent_body)
        self.bodies.append(body)
        body.written = T_frame_body.translation
        body.falls = None
        if attrs.get("gravcomp") is not None:
            # gravcomp 1 takes all of the weight away, 0.5 half of it.
            body.falls = 1.0 - attrs.number("gravcomp", 0.0)
        body.mocap = attrs.word("mocap", ("false", "true")) == "true"

    def _name(self, element: XmlElement, instead: str) -> str:
        """Return the name of an element, or a name made from `instead` that no element has.

        Raises:
            BrokenRobot: a body has the name of the world.
        """
        name = element.get("name") or ""
        if element.tag == "body" and name == WORLD:
            element.refuse(f"body '{name}' is defined twice")
        return name or unused(instead, self._names)

    def _joint(
        self, element: XmlElement, body: BodyElement, T_body_frame: Transform, child_class: str
    ) -> JointElement:
        """Return a joint of a body, in the axes of the body."""
        name = self._name(element, f"{body.name}_joint")
        if body is self.bodies[0]:
            element.refuse("the world has no joints")
        if element.tag == "freejoint":
            self._refuse_aligned(AttributesWithDefaults(element.take(), ()), body)
            return JointElement(
                element=element,
                name=name,
                type="free",
                axis=(0.0, 0.0, 1.0),
                point=(0.0, 0.0, 0.0),
                reference=0.0,
                limits=None,
                effort=None,
                values={},
            )
        attrs = self.classes.attributes_of(element, child_class)
        settings = self.settings
        kind = attrs.word("type", JOINTS)
        if kind == "free":
            self._refuse_aligned(attrs, body)
        axis = position_of(attrs, "axis", (0.0, 0.0, 1.0))
        if kind in UNBOUND:
            axis = (0.0, 0.0, 1.0)
        elif norm(axis) < NO_DIRECTION:
            element.refuse(f"joint '{name}': its axis has no direction")
        else:
            axis = rotate(T_body_frame.rotation, unit(axis))

        def position(value: float) -> float:
            """Return a position in m or rad."""
            return value if kind == "slide" else settings.angle(value)

        limits = is_limited(attrs, settings, "limited", "range") if kind != "free" else None
        if limits:
            low, high = limits
            limits = (position(low), position(high))
        reference = position(attrs.number("ref", 0.0))
        rest = position(attrs.number("springref", 0.0))
        # The bound on the sum of all actuators of the joint: the effort of URDF.
        effort = is_limited(attrs, settings, "actuatorfrclimited", "actuatorfrcrange")
        if effort and effort[0] != -effort[1]:
            attrs.leave("actuatorfrcrange")  # only a symmetric range is an effort
        if kind in UNBOUND:
            reference = 0.0
            effort = None
        return JointElement(
            element=element,
            name=name,
            type=kind,
            axis=axis,
            point=move(T_body_frame, position_of(attrs)),
            reference=reference,
            limits=limits,
            effort=effort,
            values=_values(attrs, kind, rest),
        )

    def _refuse_aligned(self, attrs: AttributesWithDefaults, body: BodyElement) -> None:
        """Refuse a free body whose frame the compiler turns."""
        align = "auto"
        # Only <freejoint> has the attribute; a <joint> of type free goes by the compiler.
        if attrs.element.tag == "freejoint":
            align = attrs.word("align", ("auto", "false", "true"))
        if align == "true" or align == "auto" and self.settings.align_free:
            attrs.element.refuse(
                f"body '{body.name}' is turned into its axes of inertia while the model is compiled "
                "(align, alignfree)"
            )


def _values(attrs: AttributesWithDefaults, kind: str, rest: float) -> Values:
    """Return friction, spring and armature; a `springdamper`, which the compiler computes, is left unread."""
    values = {
        "friction": attrs.numbers("frictionloss", (0.0,)),
        "armature": attrs.numbers("armature", (0.0,)),
    }
    made = (
        attrs.get("springdamper") is not None
        and min(attrs.numbers("springdamper", (0.0, 0.0))) > 0.0
    )
    if made:
        attrs.leave("springdamper")
    else:
        values["damping"] = _first(attrs, "damping")
        values["stiffness"] = _first(attrs, "stiffness")
        if values["stiffness"][0] and kind in ("hinge", "slide"):
            values["spring_reference"] = (rest,)
    return {name: value for name, value in values.items() if any(value)}


def _first(attrs: AttributesWithDefaults, name: str) -> Reals:
    """Return the coefficient of a linear law; all of a polynomial, which no other format has, is kept."""
    terms = attrs.numbers(name, (0.0, 0.0, 0.0), 1)
    return terms if any(terms[1:]) else terms[:1]
