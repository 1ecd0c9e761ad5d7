"""The tool in a browser: what runs there in a worker, and what builds the folder that a server shows."""
