"""`python -m urdf_tools` and the command `urdf-simplify` do what `python urdf_simplify.py` does."""

import gc
import sys


def console() -> int:
    """Run the command line and return the exit status, also when it is interrupted while it is loaded."""
    gc.disable()  # see `main`; while the modules are loaded a collection finds nothing either
    try:
        from .app.commands import main

        return main()
    except KeyboardInterrupt:
        return 1


if __name__ == "__main__":
    sys.exit(console())
