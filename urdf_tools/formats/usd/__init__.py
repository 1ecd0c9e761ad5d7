"""USD as text for Newton, PhysX and Isaac."""
