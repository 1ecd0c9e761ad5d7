"""Carries the plan out on the document; decides nothing."""
