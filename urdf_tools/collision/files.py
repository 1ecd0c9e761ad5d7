"""Write the hulls to files: STL, or OBJ that Drake takes as convex."""
import os
import struct

from ..collada.convert import file_digest
from ..mesh.stl import pack_triangles, sign_stl, StlWriter
from ..meshes.hull import Hull

OBJ_HEADER = "# OBJ written by urdf_simplify\n"


def write_hull(hull: Hull, path: str, origin: str) -> None:
    """Write a hull to a file whose ending says which format; an STL file holds a digest of the mesh that it is from.

    A triangle whose normal is nothing in float64 stays without one: readers compute their own.
    """
    if path.endswith(".obj"):
        lines = [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in hull.corners]
        lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in hull.triangles]
        with open(path, "w", encoding="ascii", newline="\n") as stream:
            stream.write(OBJ_HEADER + "".join(lines))
        return
    records, flat = pack_triangles([k for triangle in hull.triangles for k in triangle], list(hull.corners))
    corners = [hull.triangles[number] for number in flat]
    records += [struct.pack("<12f2x", 0.0, 0.0, 0.0, *(value for k in triangle for value in hull.corners[k]))
                for triangle in corners]
    writer = StlWriter(path)
    writer.append(records)
    writer.finish()
    sign_stl(path, file_digest(origin if os.path.isfile(origin) else os.devnull))
