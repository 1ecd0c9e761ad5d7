"""`python -m urdf_tools robot.urdf` does what `python urdf_simplify.py robot.urdf` does."""
import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
