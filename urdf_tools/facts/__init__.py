"""The meaning of tags, each fact once: the plan decides by it, the proof compares by it, with independent arithmetic."""
