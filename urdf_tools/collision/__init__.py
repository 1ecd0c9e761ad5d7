"""Collision shapes that provably contain what they replace, and pairs of links that provably never touch."""
