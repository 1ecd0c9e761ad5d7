"""A URDF without loss: lossless XML, typed records, reader, kinematics, references, mesh paths, packages, xacro."""
