"""The command `mcp`: the door for assistants, by the Model Context Protocol."""
