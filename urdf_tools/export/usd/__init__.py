"""USD as text for Newton and PhysX: written, read again and compared."""
