"""What usd-core makes of the USD of others: the same prims, values, targets and world transforms, text and crate."""

import random

import pytest
from commands import in_process
from conftest import ROOT
from usd_texts import ALPHABET, HEAD, robot, spelled

pxr = pytest.importorskip("pxr", reason="usd-core is not installed")

from pxr import Sdf, Tf, Usd, UsdGeom, UsdPhysics  # noqa: E402

from urdf_tools.base.errors import BrokenRobot  # noqa: E402
from urdf_tools.compare.read_any_format import read_robot_of  # noqa: E402
from urdf_tools.formats.usd.compose_stage import read_stage  # noqa: E402
from urdf_tools.formats.usd.usd_layers import LayerLoader  # noqa: E402
from urdf_tools.formats.usd.read_usda import read_usda  # noqa: E402
from urdf_tools.formats.usd.prim_transforms import transform_in, XFORMABLE  # noqa: E402
from urdf_tools.urdf.spatial_math import IDENTITY_POSE, transpose  # noqa: E402

FIXTURES = sorted((ROOT / "fixtures" / "usd").glob("arm*"))
EDITS = [ROOT / "fixtures" / "usd" / "edits" / f"top.{ending}" for ending in ("usda", "usdc")]
NEAR = 1e-6  # of float32
FROM_SCHEMA = "NodeDefAPI"  # usd-core applies it to each shader, whatever is written
ALL = Usd.PrimIsDefined & Usd.PrimIsActive & ~Usd.PrimIsAbstract


def flat(value):
    """Return the numbers of a value of usd-core, the real part of a quaternion first."""
    if hasattr(value, "GetImaginary"):
        return [value.GetReal(), *value.GetImaginary()]
    if hasattr(value, "__len__"):
        return [number for part in value for number in flat(part)]
    return [float(value)]


def prims_of(stage):
    every = Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(ALL))
    return {str(prim.GetPath()): prim for prim in every if not prim.IsPseudoRoot()}


def text_of(value):
    return value.path if isinstance(value, Sdf.AssetPath) else value


def faults_of_attribute(mine, attribute):
    """Yield what is not equal in an attribute."""
    name, value = attribute.GetName(), attribute.Get()
    entry = mine.properties.get(name)
    connected = [str(path) for path in attribute.GetConnections()]
    led = mine.properties.get(f"{name}.connect")
    if connected != [part.text for part in (led.value.parts if led and led.value else ())]:
        yield name, connected
    if value is None or not attribute.HasAuthoredValue():
        if entry is not None and entry.value is not None:
            yield name, "no value"
    elif entry is None or entry.value is None:
        yield name, value
    elif attribute.GetTypeName() in ("token", "string", "asset"):
        if entry.value.text != text_of(value):
            yield name, value
    elif attribute.GetTypeName() in ("token[]", "string[]", "asset[]"):
        if list(mine.words(name)) != [text_of(part) for part in value]:
            yield name, value
    else:
        found, wanted = list(mine.flat(name, entry.value)), flat(value)
        if found != pytest.approx(wanted, rel=NEAR, abs=1e-30):
            yield name, found, wanted


def faults(path):
    """Return what is not equal in two readings of a stage."""
    top, *_ = read_stage(LayerLoader({}), str(path))
    stage = Usd.Stage.Open(str(path))
    mine, theirs = {prim.path: prim for prim in top.walk() if prim.path}, prims_of(stage)
    found = [] if list(mine) == list(theirs) else [("prims", list(mine), list(theirs))]
    cache, worlds = UsdGeom.XformCache(), {"": IDENTITY_POSE}
    for where, prim in theirs.items():
        own = mine.get(where)
        if own is None:
            continue
        if own.type != prim.GetTypeName():
            found.append((where, own.type))
        said = prim.GetMetadata("apiSchemas")
        schemas = [*said.GetAddedOrExplicitItems()] if said else []
        if list(own.schemas) != [word for word in schemas if word != FROM_SCHEMA]:
            found.append((where, own.schemas, schemas))
        for attribute in prim.GetAuthoredAttributes():
            found += [(where, *fault) for fault in faults_of_attribute(own, attribute)]
        for relationship in prim.GetAuthoredRelationships():
            wanted = tuple(map(str, relationship.GetTargets()))
            if own.targets(relationship.GetName()) != wanted:
                found.append((where, relationship.GetName(), wanted))
        world = worlds[where] = transform_in(own, worlds[where.rpartition("/")[0]])
        matrix = cache.GetLocalToWorldTransform(prim)
        rows = zip((*transpose(world.rotation), world.translation), (0.0, 0.0, 0.0, 1.0))
        numbers = [x for row, last in rows for x in (*row, last)]
        if numbers != pytest.approx(flat(matrix), rel=NEAR, abs=NEAR):
            found.append((where, world, matrix))
    return found


@pytest.mark.parametrize("path", [*FIXTURES, *EDITS], ids=lambda path: path.name)
def test_the_stage_of_a_fixture_is_that_of_usd_core(path):
    assert faults(path) == []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_bodies_and_joints_are_those_of_usd_core(path):
    robot, stage = read_robot_of(path), Usd.Stage.Open(str(path))
    prims = prims_of(stage).values()
    masses = {
        prim.GetName(): UsdPhysics.MassAPI(prim).GetMassAttr().Get()
        for prim in prims
        if prim.HasAPI(UsdPhysics.RigidBodyAPI)
    }
    assert {link.name: link.mass.mass for link in robot.links if link.mass} == pytest.approx(masses)
    joints = [prim for prim in prims if prim.IsA(UsdPhysics.Joint)]
    named = [joint for joint in robot.joints if not joint.name.startswith("to ")]
    assert [joint.name for joint in named] == [prim.GetName() for prim in joints]
    cache = UsdGeom.XformCache()
    for joint, prim in zip(named, joints):
        ends = UsdPhysics.Joint(prim)
        bodies = [rel.GetTargets() for rel in (ends.GetBody0Rel(), ends.GetBody1Rel())]
        names = [paths[0].name if paths else "world" for paths in bodies]
        assert {joint.parent, joint.child} == set(names)
        places = {
            name: cache.GetLocalToWorldTransform(stage.GetPrimAtPath(paths[0]))
            for name, paths in zip(names, bodies)
            if paths
        }
        child = places[joint.child]
        drawn = child * places[joint.parent].GetInverse() if joint.parent in places else child
        T = joint.T_parent_child
        assert T.translation == pytest.approx(tuple(drawn.ExtractTranslation()), abs=NEAR)
        columns = [row for axis in zip(*T.rotation) for row in axis]
        assert columns == pytest.approx(flat(drawn.ExtractRotationMatrix()), abs=NEAR)


def random_layer(chance, name, others):
    """Return the text of a layer of random prims, which takes in prims of itself and of other layers."""
    lines = [
        "#usda 1.0",
        f'(\n    defaultPrim = "p0"\n    subLayers = [{chance.choice(others)[0]}]\n)',
    ]

    def prim(path, depth):
        pad = "    " * depth
        said = []
        if depth == 0 and chance.random() < 0.4:
            said.append(f"prepend inherits = </_{name}>")
        if chance.random() < 0.4:
            files = [arc for _, arc in others if arc]
            key = chance.choice(["references", "payload"])
            if files:
                said.append(
                    f"{chance.choice(['prepend ', 'append ', ''])}{key} = {chance.choice(files)}"
                )
        if chance.random() < 0.2:
            said.append(f"active = {chance.choice(['true', 'false'])}")
        if chance.random() < 0.2:
            said.append("instanceable = true")
        lines.append(f'{pad}{chance.choice(["def Xform", "def Xform", "over"])} "{path}" (')
        lines.extend(f"{pad}    {word}" for word in said)
        lines.append(f"{pad})\n{pad}{{")
        for key in ("a", "b", "c"):
            if chance.random() < 0.5:
                lines.append(
                    f"{pad}    double {key} = {chance.choice(['None', chance.randrange(99)])}"
                )
        if chance.random() < 0.5:
            lines.append(
                f"{pad}    {chance.choice(['', 'prepend ', 'delete '])}rel to = </p0/q{chance.randrange(3)}>"
            )
        if chance.random() < 0.5:
            lines.append(f"{pad}    double xformOp:rotateY = {chance.randrange(360)}")
            lines.append(f'{pad}    uniform token[] xformOpOrder = ["xformOp:rotateY"]')
        for k in range(chance.randrange(3) if depth < 3 else 0):
            prim(f"q{k}", depth + 1)
        lines.append(f"{pad}}}")

    lines.append(f'class "_{name}"\n{{\n    double a = {chance.randrange(99)}\n}}')
    for k in range(2):
        prim(f"p{k}", 0)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(40))
def test_a_random_stage_is_that_of_usd_core(seed, tmp_path):
    """Three layers, the last of which is crate: arcs lead only down, so that there is no circle."""
    chance = random.Random(seed)
    lower = [("", "")]
    for name in ("c", "b", "a"):
        text, ending = random_layer(chance, name, lower), "usdc" if name == "c" else "usda"
        path = tmp_path / f"{name}.{ending}"
        layer = Sdf.Layer.CreateAnonymous()
        assert layer.ImportFromString(text), text
        layer.Export(str(path))
        lower.append((f"@{path.name}@", f"@{path.name}@</p{chance.randrange(2)}>"))
    try:
        assert faults(tmp_path / "a.usda") == []
    except BrokenRobot as error:  # a class that two files have
        assert "what both say together" in str(error)


@pytest.mark.parametrize("seed", range(40))
def test_a_string_is_that_of_usd_core_in_whatever_quotes_it_is(seed):
    rng = random.Random(seed)
    texts = ["".join(rng.choices(ALPHABET, k=rng.randrange(8))) for _ in range(20)]
    values = ", ".join(spelled(text, rng) for text in texts)
    data = f'#usda 1.0\ndef "a"\n{{\n string[] b = [{values}]\n}}\n'
    layer = Sdf.Layer.CreateAnonymous(".usda")
    assert layer.ImportFromString(data)
    theirs = list(layer.GetAttributeAtPath("/a.b").default)
    assert theirs == texts == list(read_usda(data.encode(), "r.usda").children[0].words("b"))
    written = layer.ExportToString().encode()
    # usd-core writes no zero byte.
    assert layer.ImportFromString(written.decode())
    theirs = list(layer.GetAttributeAtPath("/a.b").default)
    assert theirs == list(read_usda(written, "r.usda").children[0].words("b"))


@pytest.mark.parametrize("seed", range(40))
def test_any_signs_in_quotes_are_read_or_refused_as_usd_core_does(seed):
    """The signs are no spelling of a text: escapes are cut off, and quotes do not fit."""
    rng = random.Random(seed)
    for _ in range(30):
        signs = rng.choices(["'", '"', "\\", "x", "4", "1", "n", "\n", "g"], k=rng.randrange(9))
        mark = rng.choice(["'", '"', "'''", '"""'])
        data = f'#usda 1.0\ndef "a"\n{{\n string b = {mark}{"".join(signs)}{mark}\n}}\n'
        layer = Sdf.Layer.CreateAnonymous(".usda")
        try:
            layer.ImportFromString(data)
            theirs = layer.GetAttributeAtPath("/a.b").default
        except Tf.ErrorException:
            theirs = None
        try:
            mine = read_usda(data.encode(), "r.usda").children[0].word("b")
        except BrokenRobot:
            mine = None
        assert mine == theirs, data


TYPES = ("Xform", "Scope", "", "Cube", "Mesh", "Material", "Shader", "GeomSubset", "PhysicsJoint")
MORE_TYPES = (
    "PhysicsScene",
    "Camera",
    "SkelRoot",
    "Capsule_1",
    "NoSuchType",
    "Volume",
)


@pytest.mark.parametrize("seed", range(20))
def test_a_prim_has_a_place_of_its_own_where_usd_core_says_so(seed, tmp_path):
    rng = random.Random(seed)
    text, deep = "#usda 1.0\n", 12
    for depth in range(deep):
        kind = rng.choice(TYPES + MORE_TYPES)
        ops = [rng.choice(['"!resetXformStack!", ', ""]) + '"xformOp:translate"']
        order = f"uniform token[] xformOpOrder = [{ops[0]}]" if rng.random() < 0.8 else ""
        at = tuple(rng.randrange(9) for _ in range(3))
        text += f'def {kind} "p{depth}" {{\n double3 xformOp:translate = {at}\n {order}\n'
    path = tmp_path / "r.usda"
    path.write_text(text + "}\n" * deep)
    assert faults(path) == []


def test_the_types_that_have_a_place_are_those_of_usd_core():
    registry = Usd.SchemaRegistry()
    derived = Tf.Type.Find(UsdGeom.Xformable).GetAllDerivedTypes()
    names = {registry.GetSchemaTypeName(kind) for kind in derived if registry.IsConcrete(kind)}
    assert names - {""} <= set(XFORMABLE)


def test_what_relocates_move_is_refused_and_read_after_flattening(tmp_path):
    """Text and crate: usd-core has the body at its new path, which is not composed here."""
    (tmp_path / "far.usda").write_text(robot(), encoding="utf-8")
    moved = "\n relocates = { </robot/arm>: </robot/hand> }"
    text = HEAD.format(moved) + 'def "robot" (references = @far.usda@)\n{\n}\n'
    near = tmp_path / "near.usda"
    near.write_text(text, encoding="utf-8")
    Sdf.Layer.FindOrOpen(str(near)).Export(str(near.with_suffix(".usdc")))
    for path in (near, near.with_suffix(".usdc")):
        with pytest.raises(BrokenRobot, match="</robot/arm>: it is moved to </robot/hand>"):
            read_robot_of(path)
    flat = tmp_path / "flat.usda"
    Usd.Stage.Open(str(near)).Flatten().Export(str(flat))
    assert [link.name for link in read_robot_of(flat).links] == ["base", "hand"]


def test_engines_have_the_masses_of_a_stage_as_it_is_read(tmp_path):
    """Newton imports the USD itself; MuJoCo and Pinocchio get what is exported of it: one mass matrix of the joints."""
    newton, warp = pytest.importorskip("newton"), pytest.importorskip("warp")
    mujoco, pin = pytest.importorskip("mujoco"), pytest.importorskip("pinocchio")
    np = pytest.importorskip("numpy")
    warp.config.quiet = True
    before, _, follow = (
        (ROOT / "fixtures" / "usd" / "arm.usda").read_text("utf-8").partition('"follow"')
    )
    for one, other in (("</arm/right>", "THIS"), ("</arm/base/upper>", "</arm/right>")):
        follow = follow.replace(one, other, 1)  # Newton wants the parent first
    for one, other in (("THIS", "</arm/base/upper>"), ("Pos1", "Pos0"), ("Rot1", "Rot0")):
        follow = follow.replace(one, other, 1)
    (tmp_path / "arm.usda").write_text(f'{before}"follow"{follow}', encoding="utf-8")
    usd = str(tmp_path / "arm.usda")
    for ending in ("urdf", "xml"):
        assert in_process(["export", usd, str(tmp_path / f"arm.{ending}"), "-y"]).returncode == 0
    own = pin.buildModelFromUrdf(str(tmp_path / "arm.urdf"))
    names = list(own.names)[1:]
    assert sorted(names) == ["follow", "shoulder", "slide"]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    places = [model.joint(name).dofadr[0] for name in names]
    read = {joint.name: joint.values for joint in read_robot_of(usd).joints}
    armature = np.diag([read[name].get("armature", (0.0,))[0] for name in names])
    builder = newton.ModelBuilder()
    builder.add_usd(usd)
    theirs = builder.finalize(device="cpu")
    labels = [label.rpartition("/")[2] for label in theirs.joint_label]
    starts, speeds = theirs.joint_q_start.numpy(), theirs.joint_qd_start.numpy()
    for q in np.random.default_rng(3).uniform(-0.5, 0.5, (4, 3)):
        wanted = pin.crba(own, own.createData(), q)
        wanted = np.triu(wanted) + np.triu(wanted, 1).T
        data, M = mujoco.MjData(model), np.zeros((3, 3))
        data.qpos[places] = q
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, M)
        assert M[np.ix_(places, places)] == pytest.approx(wanted, abs=1e-12)
        positions = theirs.joint_q.numpy()
        positions[[starts[labels.index(name)] for name in names]] = q
        state = theirs.state()
        moved = warp.array(positions, dtype=float, device="cpu")
        newton.eval_fk(theirs, moved, theirs.joint_qd, state)
        M = newton.eval_mass_matrix(theirs, state).numpy()[0]
        own_places = [speeds[labels.index(name)] for name in names]
        assert M[np.ix_(own_places, own_places)] == pytest.approx(wanted + armature, abs=NEAR)
