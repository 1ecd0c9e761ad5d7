"""The proof of an MJCF text against the text of the URDF: it is read again by `compare/`, which knows no model.

What only the model and the writer decide - default actuators, groups, names of files and sites, colors behind images,
key frames - is proven by `verify` and its sections.
"""
from ...compare.formats import Loss, LOSSES
from ...compare.read_mjcf import read_mjcf
from ...compare.records import RawFrame, RawRobot, RawShape
from ..proof import Decided as Allowed, prove, unproven_surfaces
from .model import Decided, MAX_COORDINATE
from .sensors import CAMERAS

ELSEWHERE = ("actuators", "apart", "color", "file", "loops", "name", "script", "texture", "words")


def verify_source(text: str, source: RawRobot, decided: Decided) -> None:
    """Compare motion, masses, limits, followers, dynamics, shapes, friction, sensors and the base with the URDF.

    Raises:
        ProofFailed: the text is another robot; the message says in what.
    """
    if any(joint.type == "floating" for joint in source.joints):
        return  # each is a body that is free in the world: what is read of a scene of several is one of them
    options, written = decided.options, read_mjcf(text)
    source = source._replace(links=tuple(link._replace(shapes=tuple(map(_rubbing, link.shapes)))
                                         for link in source.links))
    links = {link.name for link in source.links}
    frames = tuple(RawFrame(name, link, pose.transform) for name, (link, pose) in decided.sites.items()
                   if name not in links)
    allowed = Allowed(
        "MJCF", frames=frames, between=decided.between, left_out=decided.left_out, shows=lambda shape: False,
        files={name: file for name, file in options.mesh_files if file}, base=options.base,
        massless=options.massless, inertia=options.inertia, rests=True, out_of_reach=MAX_COORDINATE)
    source = source._replace(sensors=tuple(one for one in source.sensors if one.kind not in CAMERAS or (
        "field_of_view" in one.values and "image" in one.values)))  # without both it is left out, with a warning
    losses = [*LOSSES["mjcf"], *unproven_surfaces(source),
              *(Loss(what, "it is proven elsewhere") for what in ELSEWHERE)]
    prove(written._replace(unread=(), keys={}), source, allowed, losses)


def _rubbing(shape: RawShape) -> RawShape:
    """Return a shape without friction below zero, which is none."""
    mu, = shape.surface.get("mu1", (0.0,))
    return shape if mu >= 0.0 else shape._replace(surface={
        name: value for name, value in shape.surface.items() if name != "mu1"})
