"""Decide what to do, each decision with its reason; nothing is edited here."""
