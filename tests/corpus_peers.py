"""The jobs of other tools in the table of the corpus, each called as its manual says; all raise as the tool does."""


def skrobot_merge(before, after):
    """Links on fixed joints are merged; with `keep_frames`, the default, those without shapes stay."""
    from skrobot.urdf import merge_fixed_links_file

    merge_fixed_links_file(before, after)


def skrobot_mjcf(before, after):
    """MJCF with a fixed base and no scene."""
    from skrobot.urdf import urdf_to_mjcf

    urdf_to_mjcf(before, after, add_ground=False)


def skrobot_compare(before, after):
    """Print `same` or `other`, then the summary."""
    from skrobot.urdf import compare_kinematics

    difference = compare_kinematics(after, before)
    print("same" if difference.is_equivalent else "other")
    print(difference.format_summary())


def yourdfpy_write(before, after):
    """Loaded without meshes, and written."""
    import yourdfpy

    yourdfpy.URDF.load(before, build_scene_graph=False, load_meshes=False).write_xml_file(after)


def mujoco_import(before, after):
    """Compiled; links on fixed joints are merged, as MuJoCo does by default with a URDF; and saved."""
    import mujoco

    mujoco.mj_saveLastXML(after, mujoco.MjModel.from_xml_path(before))


JOBS = {
    job.__name__: job
    for job in (skrobot_merge, skrobot_mjcf, skrobot_compare, yourdfpy_write, mujoco_import)
}
