"""Install the package as ROS 2 wants it; its setuptools may be older than `pyproject.toml`, so this file repeats what it needs."""

from xml.etree import ElementTree

from setuptools import find_packages, setup

PACKAGE = ElementTree.parse("package.xml")
setup(
    name=PACKAGE.findtext("name"),
    version=PACKAGE.findtext("version"),
    packages=find_packages(),
    package_data={"": ["*"]},
    data_files=[
        ("share/ament_index/resource_index/packages", ["resource/urdf_simplify"]),
        ("share/urdf_simplify", ["package.xml"]),
    ],
    entry_points={"console_scripts": ["urdf-simplify = urdf_tools.__main__:console"]},
    zip_safe=False,
)
