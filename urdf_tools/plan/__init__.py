"""Decides what is to be done, each decision with its reason; touches nothing."""
