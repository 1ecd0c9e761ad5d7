"""Names of a package that are loaded when one is asked for: `__getattr__` and `__dir__` of each facade."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, List, Tuple


class Door(ModuleType):
    """A package that is called as its function of the same name: `urdf_tools.compare(a, b)`."""

    def __call__(self, *positional: Any, **choices: Any) -> Any:
        return getattr(self, self.__name__.rpartition(".")[2])(*positional, **choices)


def lazy(
    package: str, api: str, **others: str
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are those of the module `api` in the same folder.

    `others`: further names, each with the package that has it, "" for a package itself.
    """

    def load(module: str) -> Any:
        from importlib import import_module

        return import_module(f".{module}", __package__)

    def get(name: str) -> Any:
        if name in others:
            return getattr(load(others[name]), name) if others[name] else load(name)
        try:
            return [*load(api).__all__, *others] if name == "__all__" else getattr(load(api), name)
        except AttributeError:
            from .base.errors import did_you_mean

            # Programs look for names such as `__wrapped__`; nobody meant another one then.
            hint = "" if name.startswith("_") else did_you_mean(name, get("__all__"))
            raise AttributeError(f"module '{package}' has no attribute '{name}'{hint}") from None

    sys.modules[package].__class__ = Door
    return get, lambda: sorted(get("__all__"))
