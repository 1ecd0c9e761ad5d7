"""A URDF as it is: lossless XML, typed records, reader, kinematics, references, mesh paths, packages, xacro."""
