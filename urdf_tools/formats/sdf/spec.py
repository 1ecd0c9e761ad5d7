"""What SDF defines inside a model, from which version on, and an element made to fit it.

Gazebo warns of what SDF does not define, and does not load a file with a value that cannot be read; Drake loads
neither. Both pass over elements and attributes with a prefix (SDF documentation, "Custom elements and attributes").
"""
import math
import re
from typing import AbstractSet, Dict, List, NamedTuple, Tuple

from ...model.xml_tree import Node
from ..lower import named

PREFIX = "urdf:"  # of what SDF does not define
OLDEST = 7  # SDF 1.7, the first with `relative_to` and `attached_to`, is the first that is written
# Of SDF 1.N the first Gazebo that reads it: libsdformat 9 to 15, as each announces the version that it supports.
RELEASES = {7: "Gazebo Classic 11 and Citadel", 8: "Gazebo Edifice", 9: "Gazebo Fortress", 10: "Gazebo Garden",
            11: "Gazebo Harmonic", 12: "Gazebo Ionic"}

# The description files sdf/1.7 to sdf/1.12 of libsdformat. To a line: an element, and what is in it: `.name` an
# attribute (`!` required), `name` an element, `=` its values (b bool, d number, i whole number, 2, 3, 4 or c several,
# p pose) or the line that describes it, where that is not of its own name, `@` the version 1.N it came with, `*`
# anything. Without values it is text.
DEFINED = """
model: .name! .canonical_link .placement_frame@8 allow_auto_disable=b enable_wind=b frame gripper include joint link
  model plugin pose self_collide=b static=b
include: .merge=b@9 name placement_frame@8 plugin pose static=b uri
frame: .name! .attached_to pose
pose=p: .relative_to .rotation_format@9 .degrees=b@9
link: .name! audio_sink=text audio_source battery collision enable_wind=b gravity=b inertial kinematic=b light
  must_be_base_link=b particle_emitter pose projector self_collide=b sensor velocity_decay visual
velocity_decay: angular=d linear=d
inertial: .auto=b@11 auto_inertia_params=any@11 density=d@11 fluid_added_mass=added@10 inertia mass=d pose
inertia: ixx=d ixy=d ixz=d iyy=d iyz=d izz=d
added: pp=d pq=d pr=d qq=d qr=d rr=d xp=d xq=d xr=d xx=d xy=d xz=d yp=d yq=d yr=d yy=d yz=d zp=d zq=d zr=d zz=d
joint: .name! .type! axis axis2=axis child gearbox_ratio=d gearbox_reference_body parent physics pose
  screw_thread_pitch=d@10 sensor thread_pitch=d
axis: dynamics limit mimic@11 xyz
xyz=3: .expressed_in
dynamics: damping=d friction=d spring_reference=d spring_stiffness=d
limit: dissipation=d effort=d lower=d stiffness=d upper=d velocity=d
mimic: .joint! .axis multiplier=d offset=d reference=d
physics: ode provide_feedback=b simbody
ode: bounce=d cfm=d cfm_damping=b erp=d fudge_factor=d implicit_spring_damper=b limit=stop max_force=d suspension=stop
  velocity=d
stop: cfm=d erp=d
simbody: must_be_loop_joint=b
plugin: .name! .filename! *
any: *
gripper: .name! grasp_check gripper_link palm_link
grasp_check: attach_steps=i detach_steps=i min_contact_count=i
collision: .name! auto_inertia_params=any@11 density=d@11 geometry laser_retro=d max_contacts=i pose surface
visual: .name! cast_shadows=b geometry laser_retro=d material meta plugin pose transparency=d visibility_flags=i
meta: layer=i
geometry: box capsule@8 cone@11 cylinder ellipsoid@8 empty heightmap image mesh plane polyline sphere
box: size=3
cylinder: length=d radius=d
capsule: length=d radius=d
cone: length=d radius=d
sphere: radius=d
ellipsoid: radii=3
plane: normal=3 size=2
mesh: .optimization@11 convex_decomposition@11 scale=3 submesh uri
convex_decomposition: max_convex_hulls=i voxel_resolution=i
submesh: center=b name
heightmap: blend pos=3 sampling=i size=3 texture use_terrain_paging=b uri
blend: fade_dist=d min_height=d
texture: diffuse normal size=d
image: granularity=i height=d scale=d threshold=i uri
polyline: height=d point=2
material: ambient=c diffuse=c double_sided=b emissive=c lighting=b pbr render_order=d script shader shininess=d@10
  specular=c
script: name uri
shader: .type! normal_map
pbr: metal specular=glossy
metal: albedo_map ambient_occlusion_map emissive_map environment_map light_map=light_map metalness=d metalness_map
  normal_map=normal_map roughness=d roughness_map
glossy: albedo_map ambient_occlusion_map emissive_map environment_map glossiness=d glossiness_map light_map=light_map
  normal_map=normal_map specular_map
normal_map: .type
light_map: .uv_set=i
surface: bounce contact=contacts friction soft_contact
bounce: restitution_coefficient=d threshold=d
contacts: bullet=stiff category_bitmask=i collide_bitmask=i collide_without_contact=b
  collide_without_contact_bitmask=i elastic_modulus=d ode=stiff poissons_ratio=d
stiff: kd=d kp=d max_vel=d min_depth=d soft_cfm=d soft_erp=d split_impulse=b split_impulse_penetration_threshold=d
friction: bullet=rough ode=rough torsional
rough: fdir1 friction=d friction2=d mu=d mu2=d rolling_friction=d slip1=d slip2=d
fdir1=3: .expressed_in
torsional: coefficient=d ode=slip patch_radius=d surface_radius=d use_patch_radius=b
slip: slip=d
soft_contact: dart
dart: bone_attachment=d damping=d flesh_mass_fraction=d stiffness=d
light: .name! .type! attenuation cast_shadows=b diffuse=c direction=3 intensity=d@8 light_on=b@10 pose specular=c spot
  visualize=b@10
attenuation: constant=d linear=d quadratic=d range=d
spot: falloff=d inner_angle=d outer_angle=d
projector: .name! far_clip=d fov=d near_clip=d plugin pose texture=text visibility_flags=i@10
audio_source: contact=touched gain=d loop=b pitch=d pose uri
touched: collision=text
battery: .name! voltage=d
particle_emitter: .name! .type! color_end=c color_range_image color_start=c duration=d emitting=b lifetime=d material
  max_velocity=d min_velocity=d particle_scatter_ratio=d particle_size=3 pose rate=d scale_rate=d size=3 topic
sensor: .name! .type! air_pressure air_speed@10 altimeter always_on=b camera contact=contact_sensor enable_metrics=b
  force_torque frame_id@12 gps=navsat imu lidar logical_camera magnetometer=noisy navsat plugin pose ray=lidar
  rfid=text rfidtag=text sonar topic transceiver update_rate=d visualize=b
noise: .type! bias_mean=d bias_stddev=d dynamic_bias_correlation_time=d dynamic_bias_stddev=d mean=d precision=d
  stddev=d
with_noise: noise
noisy: x=with_noise y=with_noise z=with_noise
air_pressure: pressure=with_noise reference_altitude=d
air_speed: pressure=with_noise
altimeter: vertical_position=with_noise vertical_velocity=with_noise
contact_sensor: collision=text topic
force_torque: force=noisy frame=text measure_direction torque=noisy
imu: angular_velocity=noisy enable_orientation=b linear_acceleration=noisy orientation_reference_frame
orientation_reference_frame: custom_rpy=in_frame grav_dir_x=in_frame localization
in_frame=3: .parent_frame
navsat: position_sensing=two_noises velocity_sensing=two_noises
two_noises: horizontal=with_noise vertical=with_noise
logical_camera: aspect_ratio=d far=d horizontal_fov=d near=d
lidar: noise=plain_noise range scan visibility_mask=i@10
range: max=d min=d resolution=d
scan: horizontal=rays vertical=rays
rays: max_angle=d min_angle=d resolution=d samples=i
plain_noise: mean=d stddev=d type
sonar: geometry=text max=d min=d radius=d
transceiver: essid frequency=d gain=d max_frequency=d min_frequency=d power=d sensitivity=d
camera: .name box_type@9 camera_info_topic clip depth_camera distortion horizontal_fov=d image=picture lens
  noise=plain_noise optical_frame_id pose save segmentation_type@9 trigger_topic@9 triggered=b@9 visibility_mask=i
clip: far=d near=d
depth_camera: clip output
distortion: center=2 k1=d k2=d k3=d p1=d p2=d
picture: anti_aliasing=i format height=i width=i
lens: custom_function cutoff_angle=d env_texture_size=i intrinsics projection scale_to_hfov=b type
custom_function: c1=d c2=d c3=d f=d fun
intrinsics: cx=d cy=d fx=d fy=d s=d
projection: p_cx=d p_cy=d p_fx=d p_fy=d tx=d ty=d
save: .enabled=b! path
"""
# Types of sensors, as `type` of <sensor> lists them there.
SENSORS = dict.fromkeys(
    "air_pressure altimeter camera contact depth depth_camera force_torque gps gpu_lidar gpu_ray imu lidar "
    "logical_camera magnetometer multicamera navsat ray rfid rfidtag rgbd rgbd_camera sonar thermal thermal_camera "
    "wireless_receiver wireless_transmitter".split(), OLDEST)
SENSORS.update(dict.fromkeys("boundingbox boundingbox_camera custom segmentation segmentation_camera wide_angle_camera "
                             "wideanglecamera".split(), 9), air_speed=10)
# The least and largest values that those files allow.
BOUNDS = {"horizontal_fov": (0.1, 6.283186), "far": (0.1, math.inf), "env_texture_size": (4.0, 2048.0),
          "cutoff_angle": (0.0, 3.141592653), "restitution_coefficient": (0.0, 1.0)}
BOUNDS.update(dict.fromkeys(
    "bias_stddev coefficient dynamic_bias_stddev friction friction2 max_velocity min_velocity mu mu2 near patch_radius "
    "rate scale_rate stddev surface_radius".split(), (0.0, math.inf)))


class Part(NamedTuple):
    """An attribute or element that SDF allows: its first version 1.N, its values, and the line that describes it."""

    since: int
    values: str
    line: str


class Line(NamedTuple):
    """An element: its values, attributes and elements; anything may be in it if `open`. `required` are attributes."""

    values: str
    attributes: Dict[str, Part]
    elements: Dict[str, Part]
    open: bool
    required: List[str]


class Lines(Dict[str, Line]):
    """The lines of DEFINED by name, each read when it is asked for: a robot needs a few."""

    def __init__(self) -> None:
        super().__init__({"": Line("", {}, {}, False, [])})
        texts = dict(text.split(":", 1) for text in DEFINED.replace("\n  ", " ").strip().split("\n"))
        self.texts = {name.partition("=")[0]: text for name, text in texts.items()}
        self.values_of = dict(name.partition("=")[::2] for name in texts)

    def __missing__(self, name: str) -> Line:
        words = self.texts[name].split()
        line = self[name] = Line(self.values_of[name], {}, {}, "*" in words, [])
        for word in words:
            attribute, required = word.startswith("."), word.endswith("!")
            word, _, since = word.strip(".!").partition("@")
            part, _, kind = word.partition("=")
            kind = kind or (part if part in self.texts and not attribute else "")
            is_line = kind in self.texts
            (line.attributes if attribute else line.elements)[part] = Part(
                int(since or OLDEST), self.values_of[kind] if is_line else kind, kind if is_line else "")
            line.required.extend([part] if required else [])
        return line


LINES = Lines()
NUMBER = r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)"
PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?(?: -?\d+(?:\.\d+)?(?:e-?\d+)?)*")  # as most files have numbers
COUNTS = {"d": (1,), "2": (2,), "3": (3,), "4": (4,), "c": (3, 4), "p": (6, 7)}


def can_hold(values: str, text: str) -> bool:
    """Return True if a text is one of these values, or empty, which means their default."""
    if values in ("", "text"):
        return True
    if values in COUNTS and text.count(" ") + 1 in COUNTS[values] and PLAIN.fullmatch(text):
        return True
    words = text.split()
    if not words:
        return True
    if values == "b":
        return text.strip().lower() in ("true", "false", "1", "0")
    if values == "i":
        return re.fullmatch(r"[+-]?\d+", text.strip()) is not None
    return len(words) in COUNTS[values] and all(re.fullmatch(NUMBER, word, re.I) for word in words)


class Fitting:
    """Makes what is in an element fit SDF, in place.

    Attributes:
        since: the lowest version 1.N that defines all of them; `newest`: the element that needs it, and its owner.
        odd: what got the prefix: an element or attribute, and its owner.
        sound: by their `id`, elements that are not checked: SDF 1.7 defines them, with numbers and names in them.
    """

    def __init__(self, sound: AbstractSet[int] = frozenset()) -> None:
        self.sound = sound
        self.since, self.newest = OLDEST, ""
        self.odd: List[Tuple[str, str]] = []

    def fit(self, top: Node, line: str = "model", owner: str = "") -> None:
        """Put the prefix before attributes and elements that SDF does not define, or not with that value."""
        # A prefix makes it an element of ours, which SDF allows anywhere and readers skip: the file stays valid, and
        # nothing is lost.
        known = LINES[line]
        for key in [key for key in top.attributes if ":" not in key] if top.attributes else ():
            part = known.attributes.get(key)
            if part is None or not can_hold(part.values, top.attributes[key]):
                top.attributes[PREFIX + key] = top.attributes.pop(key)
                self.odd.append((f"{key}= of <{top.tag}>", owner))
            else:
                self.needs(part.since, f"{key}= of <{top.tag}>", owner)
        for child in top.children if not known.open else ():
            if id(child) in self.sound or not isinstance(child, Node) or ":" in child.tag:
                continue
            part, attributes = known.elements.get(child.tag), child.attributes
            name = attributes.get("name", owner) if attributes else owner
            if part is None or not _fits(child, part):
                self.odd.append(named(owner, child))
                child.tag = PREFIX + child.tag
                continue
            if part.since > self.since:
                self.needs(part.since, f"<{child.tag}>", name)
            if child.tag == "sensor":
                self.needs(SENSORS[attributes["type"]], f"type {attributes['type']}", name)
            if part.line or attributes or Node in map(type, child.children):
                self.fit(child, part.line, name)

    def needs(self, since: int, what: str, owner: str) -> None:
        """Raise the version to the one that introduced an element or attribute."""
        if since > self.since:
            self.since, self.newest = since, f"{what} of '{owner}'"


def _fits(element: Node, part: Part) -> bool:
    """Return True if an element has an allowed value and all required attributes."""
    if not part.line and element.tag not in BOUNDS:  # as most: numbers, or a text
        return part.values == "text" or can_hold(part.values, element.text)
    line = LINES[part.line]
    if part.values and not line.open and not can_hold(part.values, element.text):
        return False
    if element.tag in BOUNDS and part.values in COUNTS:
        low, high = BOUNDS[element.tag]
        if not all(low <= value <= high for value in map(float, element.text.split())):
            return False
    if line.required and not all(map(element.attributes.__contains__, line.required)):
        return False
    return element.tag != "sensor" or element.attributes["type"] in SENSORS
