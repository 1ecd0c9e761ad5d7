"""Carry the plan out on the document; nothing is decided here."""
