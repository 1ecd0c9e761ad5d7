"""Names of a package that are loaded when one is asked for: `__getattr__` and `__dir__` of each facade."""
from typing import Any, Callable, List, Tuple


def lazy(package: str, api: str) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are those of the module `api` beside this one."""
    def load() -> Any:
        from importlib import import_module

        return import_module(f".{api}", __package__)

    def get(name: str) -> Any:
        try:
            return getattr(load(), name)
        except AttributeError:
            raise AttributeError(f"module '{package}' has no attribute '{name}'") from None

    return get, lambda: sorted(load().__all__)
