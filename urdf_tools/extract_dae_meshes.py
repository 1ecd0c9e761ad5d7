"""`python -m urdf_tools.extract_dae_meshes model.dae -o output/` splits a COLLADA file that is not part of a robot."""
import sys
from typing import Optional, Sequence

if __name__ == "__main__":
    sys.excepthook = lambda kind, *rest: sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)

from .app.commands import main  # noqa: E402 (from here on Ctrl-C may come)
from .export.extraction import extract_meshes_from_dae  # noqa: E402

__all__ = ["extract_main", "extract_meshes_from_dae"]


def extract_main(argv: Optional[Sequence[str]] = None) -> int:
    """Run `export` with the words of the command line, where `-o` may precede the folder; return the exit status."""
    words = sys.argv[1:] if argv is None else argv
    return main(["export", *(word for word in words if word not in ("-o", "--output"))])


if __name__ == "__main__":
    sys.exit(extract_main())
