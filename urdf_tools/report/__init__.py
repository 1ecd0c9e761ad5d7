"""Plan and result as text and as JSON. Prints nothing."""
