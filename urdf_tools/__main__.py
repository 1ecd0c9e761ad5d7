"""`python -m urdf_tools` and the command `urdf-simplify` do what `python urdf_simplify.py` does."""

import gc
import sys


def console() -> int:
    """Run the command line and return the exit status, also when it is interrupted while it is loaded."""
    # A program made by PyInstaller is started as a worker of a pool, too, which works and ends here.
    if getattr(sys, "frozen", False):
        from multiprocessing import freeze_support

        freeze_support()
    gc.disable()  # see `main`; while the modules are loaded a collection finds nothing either
    try:
        from .app.command_table import main

        return main()
    except KeyboardInterrupt:
        return 1


if __name__ == "__main__":
    sys.exit(console())
