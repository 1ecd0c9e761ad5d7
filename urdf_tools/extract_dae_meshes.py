"""`python -m urdf_tools.extract_dae_meshes model.dae -o output/` splits a COLLADA file that is not part of a robot."""
import sys

if __name__ == "__main__":
    sys.excepthook = lambda kind, *rest: sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)

from .export.extension import main as extract_main  # noqa: E402 (from here on Ctrl-C may come)
from .export.extraction import extract_meshes_from_dae  # noqa: E402

__all__ = ["extract_main", "extract_meshes_from_dae"]

if __name__ == "__main__":
    sys.exit(extract_main())
