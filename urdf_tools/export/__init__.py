"""What the package writes besides URDF: meshes in other formats, and models in other languages."""
