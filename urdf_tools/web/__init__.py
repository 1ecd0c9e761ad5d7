"""The tool in a browser: the code that runs there in a worker, and the builder of the folder that a server shows."""
