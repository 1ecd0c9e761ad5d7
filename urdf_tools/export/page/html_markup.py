"""HTML as text: everything that comes from a file is escaped here, and HTML is put together only here."""

from __future__ import annotations

import html
import re
from typing import Iterable, Sequence


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """Return text as HTML; `Markup` is HTML already, and stays as it is."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value), quote=True))


def joined(*parts: object, between: str = "") -> Markup:
    """Return parts as HTML in a row."""
    return Markup(between.join(map(escape, parts)))


def element(tag: str, *inside: object, **attributes: object) -> Markup:
    """Return `<tag attributes>inside</tag>`.

    In attribute names, `_` becomes `-` and is removed at the end (`class_`). A value of True writes only the name, and
    False or None nothing.
    """
    written = ""
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        written += f" {name.rstrip('_').replace('_', '-')}"
        if value is not True:
            written += f'="{escape(value)}"'
    return Markup(f"<{tag}{written}>{''.join(map(escape, inside))}</{tag}>")


def name(text: str) -> Markup:
    """Return a name of the robot's author, kept apart from the direction in which the text around it runs."""
    return element("bdi", text)


def breakable(text: str) -> Markup:
    """Return a name that may be broken after its punctuation if it does not fit into a line."""
    return element("bdi", joined(*re.split(r"(?<=[_./-])(?=[^_./-])", text), between="<wbr>"))


def names(texts: Iterable[str]) -> Markup:
    """Return several names with commas."""
    return joined(*map(name, texts), between=", ")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """Return a table whose first column names its rows; "" without rows."""
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in rest))
        for first, *rest in rows
    ]
    if not body:
        return Markup("")
    titles = element("tr", *(element("th", title, scope="col") for title in head))
    return element(
        "table", element("caption", caption), element("thead", titles), element("tbody", *body)
    )


def section(identity: str, title: str, *inside: Markup) -> Markup:
    """Return a section with a heading; "" if it is empty."""
    if not any(inside):
        return Markup("")
    return element(
        "section",
        element("h2", title, id=f"{identity}-title"),
        *inside,
        id=identity,
        aria_labelledby=f"{identity}-title",
    )


def bullets(lines: Iterable[object]) -> Markup:
    """Return a list; "" without lines."""
    items = [element("li", line) for line in lines]
    return element("ul", *items) if items else Markup("")
