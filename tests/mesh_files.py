"""Small mesh files in every format for the tests, written here by hand, and a real PNG of four pixels."""

import json
import struct
import zlib

A = (0.0, 0.0, 0.0)
B = (1.0, 0.0, 0.0)
C = (0.0, 1.0, 0.0)
D = (0.0, 0.0, 1.0)
# A tetrahedron.
TETRAHEDRON = [(A, C, B), (A, B, D), (A, D, C), (B, C, D)]
TETRAHEDRON_VOLUME = 1.0 / 6.0


def tetrahedron(scale=1.0, low=0.0):
    """Return the tetrahedron with edges of another length, and with its lowest corner at another height."""
    return [
        tuple((scale * x, scale * y, scale * z + low) for x, y, z in corners)
        for corners in TETRAHEDRON
    ]


def png(red=255, green=0, blue=0):
    """A PNG of two by two pixels of one color."""
    return png_of([bytes((red, green, blue)) * 2] * 2)


def png_of(rows):
    """A PNG of rows of red, green and blue."""

    def chunk(kind, data):
        """Return a chunk of PNG with its checksum."""
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows)))
        + chunk(b"IEND", b"")
    )


JPEG = b"\xff\xd8\xff\xe0" + bytes(20)  # the start of one; nobody here decodes it


def binary_stl(triangles, header=b""):
    """Return a binary STL of triangles."""
    return (
        header.ljust(80, b" ")
        + struct.pack("<I", len(triangles))
        + b"".join(
            struct.pack("<12fH", 0, 0, 0, *(value for corner in triangle for value in corner), 0)
            for triangle in triangles
        )
    )


def ascii_stl(triangles):
    """Return an STL in text of triangles."""
    facets = "".join(
        "facet normal 0 0 0\n outer loop\n"
        + "".join(f"  vertex {x!r} {y!r} {z!r}\n" for x, y, z in triangle)
        + " endloop\nendfacet\n"
        for triangle in triangles
    )
    return f"solid thing\n{facets}endsolid thing\n"


def ply(triangles, order=""):
    """Return a PLY file of triangles that share their corners, as text or in an order of bytes: "<" or ">"."""
    points = list(dict.fromkeys(corner for triangle in triangles for corner in triangle))
    form = {"": "ascii", "<": "binary_little_endian", ">": "binary_big_endian"}[order]
    header = (
        f"ply\nformat {form} 1.0\ncomment made by hand\nelement vertex {len(points)}\n"
        "property float x\nproperty float y\nproperty float z\nproperty uchar quality\n"
        f"element face {len(triangles)}\nproperty list uchar int vertex_indices\nend_header\n"
    ).encode()
    faces = [[points.index(corner) for corner in triangle] for triangle in triangles]
    if not order:
        rows = [f"{x!r} {y!r} {z!r} 7" for x, y, z in points]
        rows += [f"3 {a} {b} {c}" for a, b, c in faces]
        return header + "\n".join(rows).encode()
    data = b"".join(struct.pack(f"{order}3fB", *point, 7) for point in points)
    return header + data + b"".join(struct.pack(f"{order}B3i", 3, *face) for face in faces)


class GltfBuilder:
    """A glTF file under way: raw bytes, and JSON that a test may bend as it likes."""

    def __init__(self):
        self.buffer = b""
        self.json = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {}}]}],
            "accessors": [],
            "bufferViews": [],
            "buffers": [{}],
        }

    def view(self, data, **more):
        """Add data to the buffer, and return the number of its view."""
        self.buffer += bytes(-len(self.buffer) % 4)
        self.json["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data), **more}
        )
        self.buffer += data
        return len(self.json["bufferViews"]) - 1

    def accessor(self, code, kind, records, **more):
        """Add records to the buffer, and return the number of their accessor."""
        component = {"b": 5120, "B": 5121, "h": 5122, "H": 5123, "I": 5125, "f": 5126}[code]
        flat = [
            value
            for record in records
            for value in (record if isinstance(record, (tuple, list)) else (record,))
        ]
        view = self.view(struct.pack(f"<{len(flat)}{code}", *flat))
        self.json["accessors"].append(
            {
                "bufferView": view,
                "componentType": component,
                "count": len(records),
                "type": kind,
                **more,
            }
        )
        return len(self.json["accessors"]) - 1

    @property
    def primitive(self):
        """Return the primitive of the file, to be changed."""
        primitive = self.json["meshes"][0]["primitives"][0]
        return primitive

    def glb(self):
        """Return the file with the buffer in it."""
        self.json["buffers"][0].setdefault("byteLength", len(self.buffer))
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        data = self.buffer + bytes(-len(self.buffer) % 4)
        return (
            struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
            + struct.pack("<I4s", len(text), b"JSON")
            + text
            + struct.pack("<I4s", len(data), b"BIN\0")
            + data
        )

    def gltf(self, folder, name="model", binary="model.bin"):
        """Write the file with the buffer beside it, and return its path."""
        (folder / binary).write_bytes(self.buffer)
        self.json["buffers"][0].setdefault("byteLength", len(self.buffer))
        self.json["buffers"][0].setdefault("uri", binary)
        path = folder / f"{name}.gltf"
        path.write_text(json.dumps(self.json))
        return path


def tetrahedron_glb(index_code="H", node=None):
    """Return the builder of the tetrahedron, whose node may have a transform."""
    builder = GltfBuilder()
    points = [A, B, C, D]
    builder.primitive["attributes"]["POSITION"] = builder.accessor(
        "f", "VEC3", points, min=[0, 0, 0], max=[1, 1, 1]
    )
    builder.primitive["indices"] = builder.accessor(
        index_code,
        "SCALAR",
        [points.index(corner) for triangle in TETRAHEDRON for corner in triangle],
    )
    builder.json["nodes"][0].update(node or {})
    return builder
