"""Names of a package that are loaded at their first use: `__getattr__` and `__dir__` of each facade."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Callable, List, Optional, Tuple


class CallablePackage(ModuleType):
    # A package that is called as its function of the same name: `urdf_tools.compare(a, b)`. `inspect.signature` and
    # `help()` show the function. No docstring, because `__doc__` is a property of the packages.

    def __call__(self, *positional: Any, **choices: Any) -> Any:
        """Call the function that has the name of the package."""
        return self._function_of_package()(*positional, **choices)

    def _function_of_package(self) -> Any:
        """Return the function that has the name of the package.

        Raises:
            AttributeError: the package has no function of its name.
        """
        _, _, name = self.__name__.rpartition(".")
        return getattr(self, name)

    @property
    def __signature__(self) -> Any:
        """The signature of the function."""
        from inspect import signature

        return signature(self._function_of_package())

    @property
    def __doc__(self) -> Optional[str]:  # type: ignore[override]
        """The docstring of the package, with the help of the function below it."""
        text: Optional[str] = self.__dict__["__doc__"]
        try:
            return f"{text}\n{self._function_of_package().__doc__}"
        except AttributeError:
            return text


def lazy(
    package: str, api: str, **others: str
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Return `__getattr__` and `__dir__` of a package that has the names of the module `api` in the same folder.

    `others`: further names, each with the package that has it, "" for a package itself.
    """

    def load(module: str) -> Any:
        """Return a module of this package."""
        from importlib import import_module

        return import_module(f".{module}", __package__)

    def get(name: str) -> Any:
        """Return the thing that a name stands for."""
        if name in others:
            return getattr(load(others[name]), name) if others[name] else load(name)
        try:
            module = load(api)
            if name == "__all__":
                return [*module.__all__, *others]
            return getattr(module, name)
        except AttributeError:
            from .base.errors import did_you_mean

            # Programs look for private names (`__wrapped__`): these are no misspelled names of ours.
            hint = "" if name.startswith("_") else did_you_mean(name, get("__all__"))
            raise AttributeError(f"module '{package}' has no attribute '{name}'{hint}") from None

    sys.modules[package].__class__ = CallablePackage
    return get, lambda: sorted(get("__all__"))
