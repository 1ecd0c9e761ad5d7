"""Plan and result as text and as JSON; left and right; notes for simulators. Prints nothing."""
