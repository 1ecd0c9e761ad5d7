"""Decide what is to be done, each decision with its reason; nothing is edited here."""
