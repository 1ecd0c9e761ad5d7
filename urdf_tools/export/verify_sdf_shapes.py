"""The proof of shapes in an SDF text: sizes, place, mesh file and color of each, and where the files are."""
import os
from typing import Dict, List, Mapping, Optional, Tuple, Union

from ..model.records import material_meanings, Robot
from ..model.shapes import Collision, Ellipsoid, Material, Plane, Primitive, Visual
from ..urdf.model import Mesh
from ..urdf.spatial import Pose as Transform
from .read_back import differs, Element, near, numbers_of, same_pose

COLORS = ("ambient", "diffuse")


class PlacedShape:
    """A piece of a shape of the robot, and its pose in the link that has it in the text."""

    def __init__(self, kind: str, geometry: Primitive, shape: Union[Visual, Collision], pose: Transform) -> None:
        self.kind, self.geometry, self.shape, self.pose = kind, geometry, shape, pose


class Looks:
    """What the robot's names of materials mean, and what the text is to call its mesh files."""

    def __init__(self, robot: Robot, mesh_files: Tuple[Tuple[str, str], ...]) -> None:
        self.meanings: Dict[str, Material] = material_meanings(robot)
        self.mesh_files: Dict[str, str] = dict(mesh_files)


def match_shapes(where: str, written: List[Tuple[str, Element, Transform]], shapes: List[PlacedShape],
                 looks: Looks) -> None:
    """Find for every shape of the robot one in the text: the same kind, sizes, file, color and place in the link.

    Raises:
        ProofFailed: there is none, or there are more.
    """
    if len(written) != len(shapes):
        raise differs(f"{where}, the number of shapes", len(written), len(shapes))
    waiting = list(written)
    for one in shapes:
        for place, (tag, element, pose) in enumerate(waiting):  # it is nearly always the first
            if tag == one.kind and same_pose(pose, one.pose) and (
                    _same_geometry(element.find("geometry"), one.geometry, looks) and
                    _same_color(element.find("material"), one.shape, looks)):
                waiting.pop(place)
                break
        else:
            color = one.shape.material if isinstance(one.shape, Visual) else None
            raise differs(f"{where}, a {one.kind}", "nothing",
                          f"{one.geometry} at {one.pose.translation}{f' with {color}' if color else ''}")


def _same_geometry(geometry: Optional[Element], shape: Primitive, looks: Looks) -> bool:
    found = geometry.children[0] if geometry is not None and geometry.children else None
    if found is None or found.tag != shape.kind:
        return False
    if isinstance(shape, Mesh):
        return found.findtext("uri") == looks.mesh_files.get(shape.filename, shape.filename) and (
            near(numbers_of(found.findtext("scale")) or [1.0, 1.0, 1.0], shape.scale, 0.0))
    sizes = [value for path in ("size", "radius", "radii", "length") for value in numbers_of(found.findtext(path))]
    if isinstance(shape, (Plane, Ellipsoid)):
        return near(sizes, shape.size if isinstance(shape, Plane) else shape.radii, 0.0)
    return near(sizes, getattr(shape, "size", None) or [value for value in shape if isinstance(value, float)], 0.0)


def _same_color(found: Optional[Element], shape: Union[Visual, Collision], looks: Looks) -> bool:
    material = shape.material if isinstance(shape, Visual) else None
    if material is not None and material == Material(material.name):
        material = looks.meanings.get(material.name, material)
    rgba = material.rgba if material is not None and material.rgba is not None else ()
    return all(near(numbers_of(found.findtext(key)) if found is not None else [], rgba) for key in COLORS)


def verify_uris(names: Mapping[str, str], folder: str, targets: Mapping[str, str]) -> None:
    """Compare where the names of mesh files lead to, from the folder of the model; both are by the robot's name.

    Raises:
        ProofFailed: to another place.
    """
    for name, uri in names.items():
        place = os.path.realpath(os.path.join(os.path.realpath(folder or "."), uri))
        if place != os.path.realpath(targets[name]):
            raise differs(f"SDF: where mesh '{name}' is", place, os.path.realpath(targets[name]))
