"""The commands of the package: what their help says, and the module that runs each of them."""
import os
from importlib import import_module
from typing import Dict, List, Optional, Sequence

from ..base.errors import UsageError
from ..cli.arguments import Command, help_lines, parse, SIMPLIFY_COMMAND
from ..cli.command import run_command_line
from ..cli.simplify import simplify_command
from .engine import EXTENSION
from .option_rows import TABLE
from .pages import old_options

COMMANDS: Dict[str, Command] = {command.verb: command for command in (
    SIMPLIFY_COMMAND,
    Command("edit", "ROBOT [-o FILE] EDITS...",
            "Change what you name, from left to right, and nothing else. What refers to it (SRDF, limits, mimics, "
            "ros2_control, Gazebo) follows; each edit is proven.", (
                ("arm.urdf --attach 'hand.urdf tool0 prefix=hand_'", ""),
                ("old.urdf --like new.urdf", "count joints as another description does"),
                ("arm.urdf --mirror 'left_shoulder left=right'", ""),
                ("g1.urdf --lock 'waist_*' --drop 'left_hand_*'", ""),
                ("arm.urdf --rename 'a_*=b_*' --set 'b_*.effort=35'", "")), output="ROBOT_edited.urdf"),
    Command("collision", "ROBOT --shape KIND [-o FILE]",
            "Replace collision meshes by shapes that are proven to contain them.", (
                ("robot.urdf --shape hull", ""), ("robot.urdf --shape auto --link 'hand_*=keep'", ""),
                ("robot.urdf spheres.yml --check", "what a list of spheres leaves bare")),
            output="ROBOT_collision.urdf"),
    Command("pairs", "ROBOT [SRDF] [-o FILE]",
            "Find the pairs of links that can never touch within the joint limits (the self-collision matrix of "
            "MoveIt), each proven, and write them into an SRDF.", (
                ("panda.urdf panda.srdf", ""), ("panda.urdf panda.srdf --check", "judge the SRDF")),
            output="ROBOT_pairs.srdf"),
    Command("compare", "A B [options]",
            "Prove that two files are one robot for all joint positions, or say what differs. Reads URDF, xacro, MJCF, "
            "SDF, USD and JSON; - is standard input.", (
                ("robot.urdf robot.xml", ""), ("old.urdf new.urdf --page both.html", ""),
                ("- robot.urdf < old.urdf", "")), "exit status: 0 same robot, 1 another, 2 cannot be read"),
    Command("lint", "FILE_OR_FOLDER... [options]",
            "Find what is wrong in URDF files, with line, proof and cure, and what RViz, Gazebo, MuJoCo, Drake, Isaac "
            "and PyBullet make of them.", (
                ("robot.urdf", ""), ("robots/ --level note --format sarif", ""),
                ("robot.urdf --fix --select inertia-unit", "")),
            "exit status: 0 no errors, 1 errors found, 2 cannot be read", output="ROBOT_fixed.urdf"),
    Command("export", "ROBOT TARGET... [options]",
            "Write the robot as it is in other formats; the ending says which: .xml MJCF, .sdf, .usda, .json model, "
            ".urdf (of MJCF, SDF, or with other meshes), .armature.json, .blender.py. Each file is read again and "
            "compared.", (
                ("robot.urdf robot.xml robot.sdf robot.usda", ""), ("robot.urdf mujoco.urdf --for mujoco", ""),
                ("model.dae parts/", "one STL for each color"))),
    Command("view", "ROBOT [OTHER] [--watch] [-o FILE.html]",
            "Show a robot, or two on top of each other, with a slider for each joint. The page is one file without "
            "links to anywhere; -o keeps it.", (("robot.urdf --watch", ""), ("old.urdf new.urdf", "")),
            output="a temporary page"),
    Command("explain", "[WORDS]",
            "Explain a kind of finding, an option, or an error message of another program (paste it): what it means, "
            "and the command that cures it.", (
                ("left-right", ""), ('"inertia must satisfy A + B >= C"', ""), ("", "list all"))),
)}


def run_verb(verb: str, words: List[str]) -> int:
    """Run a command with its words; return the exit status."""
    if verb == "explain":
        from .explain import run as explain

        return explain(words)
    arguments = parse(verb, TABLE, words, lambda word: old_options().get(word, ""))
    if verb == SIMPLIFY_COMMAND.verb:
        if arguments.check and arguments.page:  # of pairs it is the page of what was judged
            raise UsageError("--check and --page cannot be combined")
        if arguments.check and any(map(os.path.isdir, arguments.files)):
            from .lint import files_of

            arguments.words = [word for word in arguments.words if word not in arguments.files]
            arguments.files = files_of(arguments.files)
        if arguments.check and arguments.format != "text":
            from .for_programs import check_command

            return check_command(arguments, EXTENSION)
        return simplify_command(arguments, EXTENSION)
    status: int = import_module(f".{verb}", __package__).run(arguments)
    return status


def help_of(verb: str, *, full: bool) -> List[str]:
    """Return the lines of the help of a command."""
    return help_lines(COMMANDS[verb], TABLE, full=full)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_verb, help_of)

