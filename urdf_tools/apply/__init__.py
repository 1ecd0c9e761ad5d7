"""Carry out the plan on the document; nothing is decided here."""
