"""What else a result becomes: other formats, pages, meshes. In the package only, not in the single file."""
