"""`python -m urdf_tools.extract_dae_meshes model.dae -o output/` splits a COLLADA file without a robot around it."""
import sys

from .cli.extract_meshes import extract_main, extract_meshes_from_dae

__all__ = ["extract_main", "extract_meshes_from_dae"]

if __name__ == "__main__":
    sys.exit(extract_main())
