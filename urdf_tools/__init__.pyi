"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""

# Written by tests/tools/stubs.py from the table of options: do not edit.

from typing import Literal, Optional, Union

from . import model as model
from .api import (
    BrokenMesh as BrokenMesh,
    BrokenRobot as BrokenRobot,
    ErrorGroup as ErrorGroup,
    MalformedXml as MalformedXml,
    MeshOptions as MeshOptions,
    Options as Options,
    ProofFailed as ProofFailed,
    Result as Result,
    UsageError as UsageError,
    UrdfError as UrdfError,
    UrdfSimplifyError as UrdfSimplifyError,
    __version__ as __version__,
    main as main,
    record_of as record_of,
    record_text as record_text,
)
from .app.argument_types import Position, Path, Texts, Length, Positions, Densities, LinkKinds, AxisWords, PackageFolders, Factors, Edits
from .app.python_functions import extract_meshes_from_dae as extract_meshes_from_dae
from .compare_api import compare as compare
from .lint_api import lint as lint
from .model_api import Robot as Robot

def simplify(
    urdf: Path,
    output: Optional[Path] = None,
    *,
    force: bool = False,
    package: PackageFolders = (),
    xacro_args: Texts = (),
    lenient: bool = False,
    keep: Texts = (),
    keep_frames: bool = False,
    keep_all_frames: bool = False,
    keep_signs: bool = False,
    keep_mesh: Texts = (),
    merge: bool = True,
    strip_hardware: bool = True,
    reorient: bool = True,
    merge_all: bool = False,
    count_once: bool = False,
    strip: Texts = (),
    base_frame: str = 'auto',
    axis: AxisWords = (),
    snap: float = 0.0001,
    split: Optional[Literal['color', 'material']] = None,
    mesh_format: Optional[Literal['stl', 'obj', 'gltf', 'glb']] = None,
    mesh_dir: Path = '',
    mesh_paths: Optional[str] = None,
    append_mesh_type: bool = False,
    require_meshes: bool = False,
    scale: Optional[float] = None,
    missing_unit: Literal['meter', 'millimeter'] = 'meter',
    up_axis: Optional[Literal['x', 'y', 'z']] = None,
    page: Optional[Path] = None,
    srdf: Optional[Path] = None,
    adapter: Optional[Path] = None,
    for_: Optional[Literal['mujoco', 'drake', 'gazebo', 'rviz', 'isaac', 'newton', 'pinocchio']] = None,
    visual_error: Length = 0.0,
    one_mesh: bool = False,
) -> Result:
    """Simplify and reorient a URDF file without asking or printing.

    Args:
        urdf: the path of the input; a name that ends with `.xacro` is expanded by the `xacro` command.
        output: the path to write to, or None to write nothing.
        choices: the options of the command line by name, with `_` for `-`: `keep=["imu_*"]`, `split="color"`,
            `for_="drake"` (`for` is a word of Python); lists serve as tuples, dictionaries as pairs, such as
            `axis={"toe": "Y"}`. `force` allows the output to be the input itself, and meshes to replace files that
            this tool did not write. In the package also `srdf`, `page` and `adapter` with the name of a file.

    Returns:
        The plan, the proof and the resulting text.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.

    Options, by keyword:
        force: replace the input, and files of others. Without it, an output may not
            be the input itself, and a mesh replaces no file that this tool did not
            write. Another output replaces any file, which is announced.
        package: the folder of package://NAME/. Also of $(find NAME) in xacro;
            repeatable. Else package.xml upward from the file, ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH, and a folder NAME beside it are tried.
        xacro_args: an argument for xacro; repeatable
        lenient: read broken files as common parsers do, with a warning. The first
            of several <inertial>, the first three of more numbers in rpy, an
            infinite limit as none, a missing <mass> as zero; of joints that share a
            name all but the first that moves are renamed; a joint that closes a
            loop is cut.
        keep: do not merge these links; repeatable
        keep_frames: do not merge empty links such as tool0
        keep_all_frames: leave an empty link for every merged one, so that its TF
            name survives
        keep_signs: flip no joint. An axis that points the other way is written as 0
            -1 0.
        keep_mesh: do not strip these meshes; repeatable
        merge=False: merge no links
        strip_hardware=False: strip no motor parts
        reorient=False: keep all frames and axes
        merge_all: merge also what a sensor, a plugin or a loop needs
        count_once: count the mass of a part exported twice once
        strip: strip these meshes, too; repeatable (built in: rotor, stator,
            bearing, nut, spacer)
        base_frame: which way the input faces: auto, ros, onshape, or words. auto
            (default): by an earlier run's comment, left/right pairs, or two that
            agree of names of joints, wheels, feet, cameras, the reach of an arm and
            a comment of Onshape, else ros. onshape is x=right,y=forward,z=up; ros
            is x=forward,y=left,z=up; or three such words.
        axis: joints with WORD in their name turn about it; repeatable. Built in:
            pitch, knee, elbow = Y, roll = X, yaw = Z.
        snap: round smaller angles to 0 (default 1e-4; 0 is exact)
        split: one mesh file and visual for each color, or material. COLLADA becomes
            STL; with --mesh-format all meshes are split, in that format. Collisions
            become one file each, and an image that is lost by this is named.
        mesh_format: convert meshes: stl, obj, gltf or glb. Those of another format
            only, one file each. STL has no colors and no images.
        mesh_dir: copy or write the meshes there (default: <output>_meshes). The
            output of an export is its .urdf target, else its first one.
        mesh_paths: relative, or package://NAME/meshes: what mesh names begin with.
            Every mesh that is found is renamed so.
        append_mesh_type: end the names of mesh files with _visual or _collision
        require_meshes: a mesh that cannot be found or read is an error, not a
            warning
        scale: meters per unit of COLLADA files, instead of what they say
        missing_unit: unit of COLLADA files without one: meter (default) or
            millimeter
        up_axis: turn this axis of meshes to +Z: x, y or z (default: turn nothing).
            RViz and Gazebo turn nothing either.
        page: write an HTML page that shows it in 3D
        srdf: an SRDF of MoveIt that follows. It is written as OUTPUT.srdf, together
            with the URDF or not at all; export takes the base and key poses from
            it.
        adapter: write Python code that maps positions of one robot to the other.
            From the input to the output, or from A to B. Also velocities, efforts
            and vectors, and back; for policies and logs.
        for_: mujoco, drake, gazebo, rviz, isaac, newton, pinocchio. Chooses format
            and names of meshes, and what else it takes; explicit options win. The
            verdict says if the program still refuses the result; the status is 0
            then, too.
        visual_error: fewer triangles in visuals, at most this far off. Proven both
            ways, for every point of both surfaces. STL, OBJ and glTF stay what they
            are, COLLADA becomes STL, a file for each color. Collisions, visuals
            with an image, and meshes that would gain little stay.
        one_mesh: join the visuals of a link, one mesh file for each color. Origins
            and scales are applied to the corners, after all other options for
            meshes. The files are STL, or OBJ or glTF if all visuals of the link
            are. Visuals with an image or without a mesh stay, and so do collisions.
    """

def edit(
    urdf: Path,
    output: Optional[Path] = None,
    *,
    force: bool = False,
    package: PackageFolders = (),
    xacro_args: Texts = (),
    lenient: bool = False,
    page: Optional[Path] = None,
    srdf: Optional[Path] = None,
    adapter: Optional[Path] = None,
    lock: Positions = (),
    zero: Positions = (),
    flip: Texts = (),
    only: Texts = (),
    drop: Texts = (),
    bake_scale: Texts = (),
    root: Edits = (),
    attach: Edits = (),
    mirror: Edits = (),
    prefix: Edits = (),
    rename: Edits = (),
    add_root: Edits = (),
    add_frame: Edits = (),
    set: Edits = (),
    remove: Edits = (),
    scale_by: Factors = (),
    inertia_from: Edits = (),
    density: Densities = (),
    like: Edits = (),
) -> Result:
    """Carry out the named edits, in their order, and nothing else.

    `edit("arm.urdf", "new.urdf", attach="hand.urdf tool0 prefix=hand_", root="hand_palm", lock={"waist_*": 0.0})`

    Args:
        urdf: the path of the robot.
        output: the path to write to, or None to write nothing.
        choices: the options below; an edit that is carried out several times as a list.

    Raises:
        UrdfError: the robot, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.

    Options, by keyword:
        force: replace the input, and files of others. Without it, an output may not
            be the input itself, and a mesh replaces no file that this tool did not
            write. Another output replaces any file, which is announced.
        package: the folder of package://NAME/. Also of $(find NAME) in xacro;
            repeatable. Else package.xml upward from the file, ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH, and a folder NAME beside it are tried.
        xacro_args: an argument for xacro; repeatable
        lenient: read broken files as common parsers do, with a warning. The first
            of several <inertial>, the first three of more numbers in rpy, an
            infinite limit as none, a missing <mass> as zero; of joints that share a
            name all but the first that moves are renamed; a joint that closes a
            loop is cut.
        page: write an HTML page that shows it in 3D
        srdf: an SRDF of MoveIt that follows. It is written as OUTPUT.srdf, together
            with the URDF or not at all; export takes the base and key poses from
            it.
        adapter: write Python code that maps positions of one robot to the other.
            From the input to the output, or from A to B. Also velocities, efforts
            and vectors, and back; for policies and logs.
        lock: fix joints at a position (default 0). VALUE in rad or m, middle (of
            the limits), or state:NAME of the SRDF; what follows them is locked with
            them; repeatable.
        zero: make this position the new zero. VALUE as for --lock; limits, mimics,
            transmissions, states and the rest follow; repeatable.
        flip: reverse the sign of joints; repeatable
        only: keep this link and what is below it; repeatable
        drop: remove links with all below them; repeatable
        bake_scale: write the meshes of links as large as their scale makes them.
            STL, OBJ and glTF, visuals and collisions, in
            <output>_meshes/scale_0.001; <mesh> has no scale then. For programs that
            ignore a scale, or turn a mesh with a negative one inside out;
            repeatable.
        root: make another link the root. Joints on the way turn round and keep
            their signs. Repeatable.
        attach: attach the robot of another file to a link. Further words: xyz='0 0
            1', rpy='0 0 1.57', joint=NAME, srdf=FILE (its groups join those of
            --srdf). Repeatable.
        mirror: add the mirror image of a link and what is below it. A=B makes its
            names: left=right, or /regex/=NEW. The plane is x, y or z of the root,
            at 0 or where plane=y@0.1 says; a position of the twin is the image of
            the same position. Meshes get a negative scale, or with meshes=files
            files of their own (STL, OBJ) in <output>_meshes/TWIN. Repeatable.
        prefix: put a prefix in front of all names. Repeatable.
        rename: rename links, joints, sensors, transmissions, frames and loops.
            robot=NEW renames the robot. One * on each side, or /regex/=NEW; link:
            or joint: in front is for one kind. Repeatable.
        add_root: add an empty link above the root. Repeatable.
        add_frame: add an empty link at a pose on another. Further words:
            xyz=0,0,10mm, rpy=-90deg,0,-90deg, or optical for a camera's image
            frame; joint=NAME. Repeatable.
        set: set effort, velocity, lower, upper, limit, damping, friction, mass,
            mimic, type, or a pose (xyz, rpy, turn, move). VALUE is a number with or
            without unit ("elbow.limit=-90deg 90deg", *.velocity=180deg/s,
            hand.mass=500g), or *1.5 to scale the present value; several in one
            option count together. @limits.csv is a table: its first row is
            joint,field,value, or joint and the fields. "finger2.mimic=finger1
            multiplier=-1 offset=0" makes a joint follow another, finger2.mimic=none
            frees it. "imu_joint.rpy=0 0 90deg", "cam.turn=z 90deg", "cam.move=0 0
            10mm" put a joint, frame or sensor elsewhere; turn and move count in its
            own frame; with keep=world what hangs on the joint stays.
            "wheel.type=continuous axis=0,1,0" gives a joint another type: revolute,
            continuous, prismatic, fixed. Repeatable.
        remove: remove inertials, visuals, collisions, mimics or gazebo blocks.
            "inertial *_frame", "collision hand", "visual *:mesh" (or box, sphere,
            cylinder, capsule), "collision hand/palm_*" by the name of the shape,
            "mimic finger*", "gazebo *" by link or joint ("gazebo robot": the blocks
            of the whole robot). Repeatable.
        scale_by: make the robot larger or smaller. FACTOR is a number or 2/3. The
            density is kept (masses by its third power, tensors by its fifth), or
            with mass=kept the masses. Joints, shapes, frames, sensors, limits of
            slides, ros2_control and the SRDF follow; efforts stay, with a warning.
            Repeatable.
        inertia_from: centers and tensors from shapes: visual, collision, hull.
            Exact integrals of closed meshes at uniform density; hull takes the
            hulls of the visuals. Masses stay where --density gives none. LINK may
            be a GLOB; default: all links. Repeatable.
        density: compute masses too, with this density. For all --inertia-from of
            the command; links without <inertial> get one. Repeatable; the last GLOB
            that fits counts.
        like: count joints, name and place links as another description of it.
            Signs, zeros, base, names, frames and order of joints; what cannot be
            made alike is listed. Repeatable.
    """

def collision(
    urdf: Path,
    output: Optional[Path] = None,
    *,
    shape: Optional[Literal['hull', 'auto', 'box', 'cylinder', 'capsule', 'sphere', 'spheres', 'convex']] = None,
    link: LinkKinds = (),
    force: bool = False,
    package: PackageFolders = (),
    xacro_args: Texts = (),
    lenient: bool = False,
    page: Optional[Path] = None,
    srdf: Optional[Path] = None,
    for_: Optional[Literal['mujoco', 'drake', 'gazebo', 'rviz', 'isaac', 'newton', 'pinocchio']] = None,
    collision_max_vertices: Optional[Union[int, str]] = None,
    collision_overhang: Optional[Length] = None,
    spheres: Optional[Path] = None,
    collision_off_mesh: Optional[Length] = None,
    collision_pieces: Optional[int] = None,
    collision_from_visuals: bool = False,
) -> Result:
    """Replace collision meshes by shapes that contain them: `collision("a.urdf", "b.urdf", shape="hull")`.

    Args:
        urdf: the path of the robot.
        output: the path to write to, or None to write nothing.
        shape: hull, auto, box, cylinder, capsule, sphere, spheres or convex.
        link: a different kind for some links, such as `{"hand_*": "keep"}`.
        choices: the options below.

    Raises:
        UrdfError: the robot, an option or the output cannot be used; nothing has been written.
        TypeError: a choice that does not exist.

    Options, by keyword:
        force: replace the input, and files of others. Without it, an output may not
            be the input itself, and a mesh replaces no file that this tool did not
            write. Another output replaces any file, which is announced.
        package: the folder of package://NAME/. Also of $(find NAME) in xacro;
            repeatable. Else package.xml upward from the file, ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH, and a folder NAME beside it are tried.
        xacro_args: an argument for xacro; repeatable
        lenient: read broken files as common parsers do, with a warning. The first
            of several <inertial>, the first three of more numbers in rpy, an
            infinite limit as none, a missing <mass> as zero; of joints that share a
            name all but the first that moves are renamed; a joint that closes a
            loop is cut.
        page: write an HTML page that shows it in 3D
        srdf: an SRDF of MoveIt that follows. It is written as OUTPUT.srdf, together
            with the URDF or not at all; export takes the base and key poses from
            it.
        for_: mujoco, drake, gazebo, rviz, isaac, newton, pinocchio. Chooses format
            and names of meshes, and what else it takes; explicit options win. The
            verdict says if the program still refuses the result; the status is 0
            then, too.
        collision_max_vertices: corners of a hull (default 64; isaac: 34)
        collision_overhang: largest distance outside the hull. A primitive that does
            becomes a hull (default: any; 5mm with auto). Of spheres: over a closed
            mesh itself (default 20mm).
        spheres: also write the spheres as a list: cuRobo .yml, MoveIt .srdf.
            Without --shape, this means --shape spheres.
        collision_off_mesh: largest distance to the mesh itself. This counts
            hollows; a collision that would stand off more stays as it is. Of
            convex: of each hull to the solid (default 5mm).
        collision_pieces: hulls of a mesh with convex, at most (default 32)
        collision_from_visuals: give links without collisions some
    """

def pairs(
    urdf: Path,
    output: Optional[Path] = None,
    *,
    srdf: Optional[Path] = None,
    force: bool = False,
    package: PackageFolders = (),
    xacro_args: Texts = (),
    lenient: bool = False,
    pairs_cells: Optional[int] = None,
) -> Result:
    """Find the pairs of links that never touch, and write them into an SRDF: `pairs("a.urdf", "a.srdf")`.

    Args:
        urdf: the path of the robot.
        output: the path of the SRDF to write, or None to write nothing.
        srdf: the SRDF to add the pairs to; None: a new SRDF.
        choices: the options below.

    Raises:
        UrdfError: a file or an option cannot be used; nothing has been written.
        TypeError: a choice that does not exist.

    Options, by keyword:
        force: replace the input, and files of others. Without it, an output may not
            be the input itself, and a mesh replaces no file that this tool did not
            write. Another output replaces any file, which is announced.
        package: the folder of package://NAME/. Also of $(find NAME) in xacro;
            repeatable. Else package.xml upward from the file, ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH, and a folder NAME beside it are tried.
        xacro_args: an argument for xacro; repeatable
        lenient: read broken files as common parsers do, with a warning. The first
            of several <inertial>, the first three of more numbers in rpy, an
            infinite limit as none, a missing <mass> as zero; of joints that share a
            name all but the first that moves are renamed; a joint that closes a
            loop is cut.
        pairs_cells: how hard to try (default 32000, about 10 s)
    """

def export(
    robot: Path,
    *targets: Path,
    force: bool = False,
    package: PackageFolders = (),
    xacro_args: Texts = (),
    lenient: bool = False,
    split: Optional[Literal['color', 'material']] = None,
    mesh_format: Optional[Literal['stl', 'obj', 'gltf', 'glb']] = None,
    mesh_dir: Path = '',
    mesh_paths: Optional[str] = None,
    append_mesh_type: bool = False,
    require_meshes: bool = False,
    scale: Optional[float] = None,
    missing_unit: Literal['meter', 'millimeter'] = 'meter',
    up_axis: Optional[Literal['x', 'y', 'z']] = None,
    srdf: Optional[Path] = None,
    for_: Optional[Literal['mujoco', 'drake', 'gazebo', 'rviz', 'isaac', 'newton', 'pinocchio']] = None,
    visual_error: Length = 0.0,
    one_mesh: bool = False,
    fix: bool = False,
    no_fix: bool = False,
    base: Optional[Literal['auto', 'free', 'fixed']] = None,
    actuators: Optional[str] = None,
    usd_meshes: Optional[Literal['beside', 'inline', 'none']] = None,
    one_bone_per_joint: bool = False,
) -> Result:
    """Write the robot as it is in the formats of file endings: `export("a.urdf", "a.xml", "a.sdf", base="fixed")`.

    Args:
        robot: the path of the robot.
        targets: the files to write: MJCF (.xml), SDF, USD (.usda), the model (.json), URDF, an armature.
        choices: the options below.

    Raises:
        UrdfError: the robot, an option or a target cannot be used; nothing has been written.
        TypeError: a choice that does not exist.

    Options, by keyword:
        force: replace the input, and files of others. Without it, an output may not
            be the input itself, and a mesh replaces no file that this tool did not
            write. Another output replaces any file, which is announced.
        package: the folder of package://NAME/. Also of $(find NAME) in xacro;
            repeatable. Else package.xml upward from the file, ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH, and a folder NAME beside it are tried.
        xacro_args: an argument for xacro; repeatable
        lenient: read broken files as common parsers do, with a warning. The first
            of several <inertial>, the first three of more numbers in rpy, an
            infinite limit as none, a missing <mass> as zero; of joints that share a
            name all but the first that moves are renamed; a joint that closes a
            loop is cut.
        split: one mesh file and visual for each color, or material. COLLADA becomes
            STL; with --mesh-format all meshes are split, in that format. Collisions
            become one file each, and an image that is lost by this is named.
        mesh_format: convert meshes: stl, obj, gltf or glb. Those of another format
            only, one file each. STL has no colors and no images.
        mesh_dir: copy or write the meshes there (default: <output>_meshes). The
            output of an export is its .urdf target, else its first one.
        mesh_paths: relative, or package://NAME/meshes: what mesh names begin with.
            Every mesh that is found is renamed so.
        append_mesh_type: end the names of mesh files with _visual or _collision
        require_meshes: a mesh that cannot be found or read is an error, not a
            warning
        scale: meters per unit of COLLADA files, instead of what they say
        missing_unit: unit of COLLADA files without one: meter (default) or
            millimeter
        up_axis: turn this axis of meshes to +Z: x, y or z (default: turn nothing).
            RViz and Gazebo turn nothing either.
        srdf: an SRDF of MoveIt that follows. It is written as OUTPUT.srdf, together
            with the URDF or not at all; export takes the base and key poses from
            it.
        for_: mujoco, drake, gazebo, rviz, isaac, newton, pinocchio. Chooses format
            and names of meshes, and what else it takes; explicit options win. The
            verdict says if the program still refuses the result; the status is 0
            then, too.
        visual_error: fewer triangles in visuals, at most this far off. Proven both
            ways, for every point of both surfaces. STL, OBJ and glTF stay what they
            are, COLLADA becomes STL, a file for each color. Collisions, visuals
            with an image, and meshes that would gain little stay.
        one_mesh: join the visuals of a link, one mesh file for each color. Origins
            and scales are applied to the corners, after all other options for
            meshes. The files are STL, or OBJ or glTF if all visuals of the link
            are. Visuals with an image or without a mesh stay, and so do collisions.
        fix: repair what has exactly one repair. export does it in memory, before
            all else; lint asks, and writes the file.
        no_fix: refuse what no program takes. Without the option an export makes the
            repairs that its formats need, and counts them in its verdict.
        base: how the root is held: free, fixed or auto. auto (default): fixed if a
            virtual joint of the SRDF is, or the root is called world, or has no
            mass with all that is fixed to it; else free.
        actuators: motor, position=KP, none. In MJCF, for each joint with an effort
            that follows no other (default: as the transmissions say, else motor);
            in USD, its drives. KP is the gain.
        usd_meshes: meshes of USD: beside (default), inline or none
        one_bone_per_joint: do not join bones of the armature
    """
