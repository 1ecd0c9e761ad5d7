"""The one way through: read, view, plan, rehearse, prove, write."""
