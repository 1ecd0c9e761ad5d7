"""Classes of defaults: the attributes of an MJCF element, else those of its class (XML reference, "default")."""
from typing import Dict, List, Optional, Sequence, Tuple

from .xml_text import Element

ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion",
             "orientation", "pid", "dcmotor", "plugin")
MAIN = "main"
UNUSED = "nothing has this class"


class Attributes:
    """An element, then those of its class and of the classes around that: the nearest with an attribute counts."""

    def __init__(self, element: Element, classes: Sequence[Element]) -> None:
        self.element = element
        self.chain = (element, *(element.take() for element in classes))

    def get(self, name: str) -> Optional[str]:
        """Return an attribute, None if no element has it."""
        texts = [element.get(name) for element in self.chain]  # of all of them, which marks it as read in each
        return next((text for text in texts if text is not None), None)

    def leave(self, name: str) -> None:
        """Mark an attribute as unread."""
        next((element for element in self.chain if name in element.attributes), self.element).read.discard(name)

    def word(self, name: str, words: Sequence[str]) -> str:
        """Return an attribute that is one of these words, the first of them if no element has it.

        Raises:
            BrokenRobot: it is another word.
        """
        text = self.get(name)
        if text is not None and text not in words:
            self.element.refuse(f"{self.element!r}: {name} '{text}' is none of {', '.join(sorted(set(words)))}")
        return text if text is not None else words[0]

    def numbers(self, name: str, default: Sequence[float], least: int = 0) -> Tuple[float, ...]:
        """Return numbers: missing trailing ones come from the next class, and finally from `default`.

        Raises:
            BrokenRobot: they are fewer than `least` (as many as in `default`, if 0), or more than in `default`.
        """
        result = tuple(default)
        for element in reversed(self.chain):
            text = element.get(name)
            if text is not None:
                written = element.numbers(text, least or len(default), len(default))
                result = written + result[len(written):]
        return result

    def number(self, name: str, default: float) -> float:
        """Return a number."""
        return self.numbers(name, (default,))[0]


class Classes:
    """The classes of a file, by name: their `<default>` elements, the innermost first."""

    def __init__(self, root: Element) -> None:
        self._chains: Dict[str, Tuple[List[Element], str]] = {MAIN: ([], "")}  # elements of the class, the class around
        for top in root.all("default"):
            name = top.get("class") or MAIN
            self._add(top, MAIN, "")
            if name != MAIN:
                self._chains.setdefault(name, ([], MAIN))

    def _add(self, element: Element, name: str, around: str) -> None:
        self._chains.setdefault(name, ([], around))[0].append(element)
        for child in element.children:
            if child.tag == "default":
                inner = child.take().get("class") or child.refuse("a <default> inside another has no class")
                self._add(child, inner, name)
            else:
                child.leave(UNUSED)

    def of_children(self, element: Element, around: str = "") -> str:
        """Return the class of what an element holds: its `childclass`, else that around it.

        Raises:
            BrokenRobot: the class is not there, which MuJoCo refuses also where no element uses it.
        """
        name = element.get("childclass") or around
        if name not in self._chains and name:
            element.refuse(f"{element!r}: class '{name}' is not there")
        return name

    def attributes_of(self, element: Element, child_class: str = "", tags: Tuple[str, ...] = ()) -> Attributes:
        """Return an element with the defaults of its class, else of `child_class`, else of main.

        Defaults are those of the element's tag, or of several `tags`: a class has one set for all kinds of actuators.

        Raises:
            BrokenRobot: the class is not there.
        """
        name = element.take().get("class") or child_class or MAIN
        if name not in self._chains:
            element.refuse(f"{element!r}: class '{name}' is not there")
        tags = tags or (element.tag,)
        defaults: List[Element] = []
        while name:
            elements, name = self._chains[name]
            defaults += [child for top in reversed(elements) for child in reversed(top.children) if child.tag in tags]
        return Attributes(element, defaults)
