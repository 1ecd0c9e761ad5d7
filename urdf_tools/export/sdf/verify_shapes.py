"""The proof of shapes in an SDF text: sizes, place, mesh file, look and surface of each, and where the files are."""
import os
from typing import Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple, Union

from ...model.records import material_meanings, Robot
from ...model.shapes import Collision, Material, Plane, Primitive, Surface, Visual
from ...model.geometry import Mesh
from ...urdf.spatial import Pose as Transform
from ..read_back import differs, Element, is_called, leaves_of, near, numbers_of, read_back, same_pose

PARTS = {"visual": frozenset(("pose", "geometry", "material")), "collision": frozenset(("pose", "geometry", "surface",
                                                                                      "laser_retro", "max_contacts"))}
SURFACE = (("bounce/restitution_coefficient", "restitution"), ("friction/ode/mu", "mu1"), ("friction/ode/mu2", "mu2"),
           ("friction/ode/fdir1", "fdir1"), ("contact/ode/kp", "kp"), ("contact/ode/kd", "kd"),
           ("contact/ode/max_vel", "max_vel"), ("contact/ode/min_depth", "min_depth"))
SCRIPTS = "file://media/materials/scripts/gazebo.material"
Leaves = Mapping[str, Union[str, Sequence[float]]]


class PlacedShape:
    """A piece of a shape of the robot: what it is called, and its pose in the link that has it in the text.

    Attributes:
        brought: the tags that `<gazebo>` may have put into it.
    """

    def __init__(self, kind: str, name: str, geometry: Primitive, shape: Union[Visual, Collision], pose: Transform,
                 brought: FrozenSet[str]) -> None:
        self.kind, self.name, self.geometry, self.shape, self.pose = kind, name, geometry, shape, pose
        self.brought = brought


class Looks:
    """What the robot's names of materials mean, and what the text is to call its mesh files."""

    def __init__(self, robot: Robot, mesh_files: Tuple[Tuple[str, str], ...]) -> None:
        self.meanings: Dict[str, Material] = material_meanings(robot)
        self.mesh_files: Dict[str, str] = dict(mesh_files)
        self._leaves: Dict[Optional[Material], Leaves] = {None: {}}
        self._brought: Dict[Tuple[str, str], FrozenSet[str]] = {}
        for top in (read_back(text) for text in robot.extensions if text.startswith("<gazebo")):
            for element in (top, *top.children):
                key = (top.get("reference", ""), element.tag)
                self._brought[key] = self.brought_to(*key) | {child.tag for child in element.children}

    def brought_to(self, link: str, kind: str) -> FrozenSet[str]:
        """Return what `<gazebo>` may have put into a link ("gazebo"), or into its visuals or collisions."""
        return self._brought.get((link, kind), frozenset())

    def of(self, material: Optional[Material]) -> Leaves:
        """Return what a `<material>` must hold, by the path of each text."""
        if material not in self._leaves and material is not None:
            known = self.meanings.get(material.name, material) if material == Material(material.name) else material
            texture = self.mesh_files.get(known.texture, known.texture)
            self._leaves[material] = _material_leaves(known._replace(texture=texture))
        return self._leaves[material]


def _material_leaves(material: Material) -> Leaves:
    leaves: Dict[str, Union[str, Sequence[float]]] = {}
    red, green, blue, alpha = material.rgba or (1.0, 1.0, 1.0, 1.0)
    if material.rgba is not None:
        leaves["ambient"] = leaves["diffuse"] = material.rgba
    if material.specular is not None:
        leaves["specular"] = (material.specular, material.specular, material.specular, 1.0)
    if material.emission is not None:
        leaves["emissive"] = (material.emission * red, material.emission * green, material.emission * blue, alpha)
    if material.texture:
        leaves["pbr/metal/albedo_map"] = material.texture
    if material.roughness is not None:
        leaves["pbr/metal/roughness"] = (material.roughness,)
    if material.metallic is not None:
        leaves["pbr/metal/metalness"] = (material.metallic,)
    return leaves


def _surface_leaves(surface: Optional[Surface]) -> Leaves:
    values = {path: getattr(surface, field, None) for path, field in SURFACE}
    return {path: value if isinstance(value, tuple) else (value,) for path, value in values.items()
            if value is not None}


def match_shapes(where: str, written: List[Tuple[str, Element, Transform]], shapes: List[PlacedShape],
                 looks: Looks) -> None:
    """Find for every shape of the robot one in the text: the same kind, sizes, file, look or surface, place and name.

    Raises:
        ProofFailed: there is none, or there are more.
    """
    if len(written) != len(shapes):
        raise differs(f"{where}, the number of shapes", len(written), len(shapes))
    waiting = list(written)
    for one in shapes:
        for place, (tag, element, pose) in enumerate(waiting):  # it is nearly always the first
            if tag == one.kind and same_pose(pose, one.pose) and _is_same(element, one, looks):
                waiting.pop(place)
                break
        else:
            more = one.shape.material if isinstance(one.shape, Visual) else one.shape.surface
            raise differs(f"{where}, a {one.kind}", "nothing",
                          f"{one.geometry} at {one.pose.translation}{f' with {more}' if more else ''}")


def _is_same(element: Element, one: PlacedShape, looks: Looks) -> bool:
    if not is_called(element.attrib.get("name", ""), one.name) or (
            not (PARTS[one.kind] | one.brought).issuperset([child.tag for child in element.children])):
        return False
    if isinstance(one.shape, Visual):
        script: Leaves = {"script/name": one.shape.script, "script/uri": SCRIPTS} if one.shape.script else {}
        leaves: Leaves = {**script, **looks.of(one.shape.material)}
        same = not leaves and "material" in one.brought or _holds(element.find("material"), leaves, 1.0)
    else:
        surface = one.shape.surface or Surface()
        leaves = _surface_leaves(surface)
        more = {"laser_retro": surface.laser_retro, "max_contacts": surface.max_contacts}
        same = _holds(element.find("surface"), leaves, 0.0, "surface" in one.brought) and all(
            numbers_of(element.findtext(tag)) == ([] if value is None else [value]) or value is None
            and tag in one.brought for tag, value in more.items())
    return same and _holds(element.find("geometry"), _geometry_leaves(one.geometry, looks), 0.0)


def _holds(found: Optional[Element], expected: Leaves, least: float, or_more: bool = False) -> bool:
    texts = leaves_of(found)
    return (texts.keys() >= expected.keys() if or_more else texts.keys() == expected.keys()) and all(
        texts[path] == value if isinstance(value, str) else near(numbers_of(texts[path]), value, least)
        for path, value in expected.items())


def _geometry_leaves(shape: Primitive, looks: Looks) -> Leaves:
    if isinstance(shape, Mesh):
        uri = looks.mesh_files.get(shape.filename, shape.filename)
        return {"mesh/uri": uri} if shape.scale == (1.0, 1.0, 1.0) else {"mesh/uri": uri, "mesh/scale": shape.scale}
    if isinstance(shape, Plane):
        return {"plane/normal": (0.0, 0.0, 1.0), "plane/size": shape.size}
    return {f"{shape.kind}/{field}": value if isinstance(value, tuple) else (value,)
            for field, value in zip(shape._fields, shape) if field != "kind"}


def sizes_of(shape: Primitive) -> Sequence[float]:
    """Return the lengths of a shape, of which none is zero if it can be written; of a mesh or plane (1,)."""
    if isinstance(shape, (Mesh, Plane)):
        return (1.0,)
    return [size for value in shape[:-1] for size in (value if isinstance(value, tuple) else (value,))]


def verify_uris(names: Mapping[str, str], folder: str, targets: Mapping[str, str]) -> None:
    """Compare where the names of mesh files lead to, from the folder of the model; both are by the robot's name.

    Raises:
        ProofFailed: to another place.
    """
    for name, uri in names.items():
        place = os.path.realpath(os.path.join(os.path.realpath(folder or "."), uri))
        if place != os.path.realpath(targets[name]):
            raise differs(f"SDF: where mesh '{name}' is", place, os.path.realpath(targets[name]))
