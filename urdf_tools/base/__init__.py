"""Foundation modules, independent of robots: errors, number text, options, files, transactions."""
