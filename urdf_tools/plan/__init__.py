"""Decisions of a run, each with its reason. Nothing is edited here."""
