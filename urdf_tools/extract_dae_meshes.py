"""`python -m urdf_tools.extract_dae_meshes model.dae -o output/` splits a COLLADA file that is not part of a robot."""

import sys
from typing import Optional, Sequence

if __name__ == "__main__":
    sys.excepthook = lambda kind, *rest: (
        sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)
    )

from .app.calls import extract_meshes_from_dae  # noqa: E402
from .app.commands import main  # noqa: E402 (from here on Ctrl-C may come)

__all__ = ["extract_main", "extract_meshes_from_dae"]


def extract_main(argv: Optional[Sequence[str]] = None) -> int:
    """Run `export` with the words of the command line, where `-o` names the folder; return the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    for index, word in enumerate(words):
        if word in ("-o", "--output") and words[index + 1 :]:
            words = [*words[:index], *words[index + 2 :], words[index + 1]]
            break
        if word.startswith("--output="):
            words = [*words[:index], *words[index + 1 :], word[len("--output=") :]]
            break
    return main(["export", *words])


if __name__ == "__main__":
    sys.exit(extract_main())
