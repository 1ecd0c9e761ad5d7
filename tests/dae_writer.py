"""A tiny COLLADA writer for the tests: only what they need, and nothing shared with the reader that they test."""

from collections import namedtuple

NAMESPACE_14 = "http://www.collada.org/2005/11/COLLADASchema"


class Body(namedtuple("Body", "name sources primitives")):
    """One geometry: the XML of its primitives and of its sources."""


def words(values):
    """Return values as a text; a float has all its digits."""
    return " ".join(repr(value) if isinstance(value, float) else str(value) for value in values)


def source(
    name,
    points,
    stride=0,
    offset=0,
    columns="XYZ",
    filler=99.5,
):
    """A `<source>` whose records may be wider than their columns and start late; the rest is filled with a number."""
    stride = stride or len(columns)
    numbers = [filler] * offset
    for point in points:
        numbers += [*point, *[filler] * (stride - len(point))]
    params = "".join(
        f'<param name="{column}" type="float"/>' if column != "-" else '<param type="float"/>'
        for column in columns
    )
    return (
        f'<source id="{name}"><float_array id="{name}-array" count="{len(numbers)}">{words(numbers)}</float_array>'
        f'<technique_common><accessor source="#{name}-array" count="{len(points)}" stride="{stride}"'
        + (f' offset="{offset}"' if offset else "")
        + f">{params}</accessor></technique_common></source>"
    )


def vertices(name):
    """Return the `<vertices>` of a geometry, whose positions have a source of this name."""
    return (
        f'<vertices id="{name}-vertices"><input semantic="POSITION" source="#{name}"/></vertices>'
    )


def inputs(name, offset=0, others=()):
    """Return the `<input>` elements of a primitive: its vertices, and others as semantic, source and offset."""
    return f'<input semantic="VERTEX" source="#{name}-vertices" offset="{offset}"/>' + "".join(
        f'<input semantic="{semantic}" source="#{url}" offset="{column}"/>'
        for semantic, url, column in others
    )


def primitive(
    tag,
    name,
    inner,
    count=None,
    material="",
    reads="",
):
    """Return a primitive element around its numbers."""
    attributes = (f' count="{count}"' if count is not None else "") + (
        f' material="{material}"' if material else ""
    )
    return f"<{tag}{attributes}>{reads or inputs(name)}{inner}</{tag}>"


def paragraph(values, tag="p"):
    """Return an element of numbers, such as `<p>`."""
    return f"<{tag}>{words(values)}</{tag}>"


def effect(name, shader, kind="phong", extra=""):
    """Return an `<effect>` with a shader."""
    return (
        f'<effect id="{name}"><profile_COMMON>{extra}<technique sid="common"><{kind}>{shader}</{kind}></technique>'
        f"</profile_COMMON></effect>"
    )


def diffuse(rgba):
    """Return the color of a shader."""
    return f"<diffuse><color>{words(rgba)}</color></diffuse>"


def material(name, effect_id="", label=""):
    """Return a `<material>` of an effect, which has its name unless another one is given."""
    return (
        f'<material id="{name}"'
        + (f' name="{label}"' if label else "")
        + f'><instance_effect url="#{effect_id or name + "-effect"}"/></material>'
    )


def bind(pairs):
    """Return what binds materials to the symbols of a geometry, "" for none."""
    if not pairs:
        return ""
    inner = "".join(
        f'<instance_material symbol="{symbol}" target="#{target}"/>'
        for symbol, target in pairs.items()
    )
    return f"<bind_material><technique_common>{inner}</technique_common></bind_material>"


def instance(name, pairs=None):
    """Return the instance of a geometry, with the materials of its symbols."""
    return f'<instance_geometry url="#{name}">{bind(pairs or {})}</instance_geometry>'


def node(inner, name=""):
    """Return a node around its content."""
    return f'<node id="{name}">{inner}</node>' if name else f"<node>{inner}</node>"


def geometry(name, sources, primitives):
    """Return a `<geometry>` of sources and primitives."""
    return f'<geometry id="{name}" name="{name}"><mesh>{sources}{vertices(name + "-p")}{primitives}</mesh></geometry>'


def simple_geometry(name, points, primitives):
    """Return a `<geometry>` of points and primitives."""
    return geometry(name, source(f"{name}-p", points), primitives)


def document(
    geometries="",
    nodes="",
    effects="",
    materials="",
    libraries="",
    unit='<unit meter="1"/>',
    up_axis="<up_axis>Z_UP</up_axis>",
    scene=None,
    namespace=NAMESPACE_14,
):
    """Return a whole file of its libraries and the nodes of its scene."""
    xmlns = f' xmlns="{namespace}"' if namespace else ""
    body = f"<asset>{unit}{up_axis}</asset>"
    if effects:
        body += f"<library_effects>{effects}</library_effects>"
    if materials:
        body += f"<library_materials>{materials}</library_materials>"
    if geometries:
        body += f"<library_geometries>{geometries}</library_geometries>"
    body += libraries
    if scene is None:
        scene = (
            f'<library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>'
            '<scene><instance_visual_scene url="#scene"/></scene>'
        )
    return f'<?xml version="1.0" encoding="utf-8"?>\n<COLLADA{xmlns} version="1.4.1">{body}{scene}</COLLADA>\n'
