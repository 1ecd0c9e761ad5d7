"""The command line of the single file: for what it lacks it runs the package."""
from typing import Optional, Sequence

from .command import run_command_line
from .hand_over import help_here, run_here


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help for its meaning."""
    return run_command_line(argv, run_here, help_here)
