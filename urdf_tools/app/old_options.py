"""The options of 0.2.0 that are called otherwise now, each with what to write in its place."""
from typing import Dict

LINT, EXPORT, COLLISION, PAIRS = (f"urdf-simplify {verb} ROBOT" for verb in ("lint", "export", "collision", "pairs"))
OLD: Dict[str, str] = {
    "--leave-frames": "--keep-all-frames", "--coincident": "--count-once", "--repair": "--lenient",
    "--duplicates": "--lenient", "--strict": "--require-meshes", "--separate-meshes": "--split color --mesh-format stl",
    "--keep-equal-colors": "--split material", "--keep-equal-colours": "--split material",
    "--combine-meshes": "--mesh-format stl", "--convert-meshes": "--mesh-format stl (or obj, gltf, glb)",
    "--mesh-prefix": "--mesh-paths PREFIX", "--keep-textured": "--mesh-format obj (or gltf, glb), with the images",
    "--planar": "--for mujoco", "--gltf-up": "--for gazebo (Z) or drake (Y)",
    "--max-faces": "nothing: MuJoCo's limit of 200,000 always holds", "--jobs": "nothing: all processors are used",
    "--srdf-output": "nothing: the SRDF is OUTPUT.srdf", "--as-is": EXPORT + " TARGET",
    "--mjcf": EXPORT + " robot.xml", "--sdf": EXPORT + " robot.sdf", "--usd": EXPORT + " robot.usda",
    "--model": EXPORT + " robot.json", "--armature": EXPORT + " robot.armature.json",
    "--blender-script": EXPORT + " robot.blender.py", "--usd-for": EXPORT + " robot.usda --for isaac (or newton)",
    "--kp": EXPORT + " robot.xml --actuators position=KP", "--armature-join": EXPORT + " ... --one-bone-per-joint",
    "--model-schema": "python3 -c 'import urdf_tools.model as m; print(m.json_schema())'",
    "--adapter-order": "nothing: the adapter has ORDERS", "--page-triangles": "urdf-simplify view ROBOT --triangles N",
    "--collision": COLLISION + " --shape KIND", "--collision-link": COLLISION + " --link GLOB=KIND",
    "--collision-max-vertices": COLLISION + " --max-vertices N",
    "--collision-overhang": COLLISION + " --overhang LENGTH",
    "--collision-off-mesh": COLLISION + " --off-mesh LENGTH", "--collision-from": COLLISION + " --from-visuals",
    "--pairs": PAIRS + " SRDF", "--pairs-check": PAIRS + " SRDF --check", "--pairs-cells": PAIRS + " --cells N",
    "--pairs-report": PAIRS + " --report FILE", "--compare": "urdf-simplify compare A B", "--names": "--match",
    "--lint": "urdf-simplify lint FILE...", "--lint-fix": LINT + " --fix --select KIND",
    "--lint-select": LINT + " --select KIND", "--lint-ignore": LINT + " --ignore KIND",
    "--lint-level": LINT + " --fail-on LEVEL", "--lint-baseline": LINT + " --baseline FILE",
    "--lint-baseline-write": LINT + " --baseline FILE --update-baseline", "--explain": "urdf-simplify explain WORDS",
    "--massless": LINT + " --fix --select no-mass", "--inertia": LINT + " --fix --select inertia",
    "--json": "--report FILE"}
