"""The names of meshes in the URDF, as `--mesh-paths` has them."""
import os
from typing import Callable

from ...base.errors import UsageError
from ...urdf.mesh_paths import path_from
from ...urdf.package_resolver import resolve, Resolver


class MeshPaths:
    """Names of meshes as they are to be in the URDF."""

    def __init__(self, paths: str, resolver: Resolver, output_folder: str, spelled: Callable[[str], str]) -> None:
        self.paths, self.resolver, self.output_folder, self.spelled = paths, resolver, output_folder, spelled

    def prefix(self, folder: str) -> str:
        """Return what stands before the names of files in a folder, "" for the usual relative path."""
        return self.name(os.path.realpath(folder)) if self.paths.startswith("package://") else ""

    def name(self, path: str) -> str:
        """Return the name of a file, given by its real path.

        Raises:
            UsageError: the folder of the package is not known, or the file is not in it.
        """
        if self.paths == "relative":
            return path_from(self.output_folder, path)
        name = self.paths[len("package://"):].strip("/")
        package = self._package(name.partition("/")[0])
        inside = os.path.relpath(path, package).replace(os.sep, "/")
        if inside.startswith("../"):
            raise UsageError(f"is not in the folder of the package '{name}', {package}: give another "
                             f"{self.spelled('mesh_paths')}, or {self.spelled('mesh_dir')} within it", path)
        return f"package://{name.partition('/')[0]}/{inside}"

    def _package(self, name: str) -> str:
        for known, folder in self.resolver.packages:
            if known == name:
                return os.path.realpath(folder)
        found = resolve(f"package://{name}/package.xml", self.resolver).path
        if found is None:
            raise UsageError(f"{self.spelled('mesh_paths')} {self.paths}: no folder is known for the package "
                             f"'{name}' ({self.spelled('package')} {name}=PATH says where it is)")
        return os.path.dirname(os.path.realpath(found))
