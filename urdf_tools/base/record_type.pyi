from typing import NamedTuple as Record

__all__ = ["Record"]
