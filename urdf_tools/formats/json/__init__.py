"""JSON of the typed model."""
