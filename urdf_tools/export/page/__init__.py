"""One self-contained HTML file that shows the robot before and after, side by side, moving together."""
