"""Differences of two URDFs in `<contact>`, whose values PyBullet alone reads: for all collisions of a link.

PyBullet takes the first `<contact>` of a link and the first of each tag in it (bullet3
examples/Importers/ImportURDFDemo/UrdfParser.cpp). `facts/simulator_values.py` has its defaults.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, Iterable, Iterator, List, Mapping, Optional

from ..base.number_text import numbers_in
from ..base.type_aliases import Reals
from ..facts.simulator_values import default_of
from ..robot.rigid_bodies import Body
from ..robot.raw_robot import RawRobot, UnreadElement
from .difference_records import Difference, ComparisonSettings
from .joint_differences import value_difference
from .robot_map import RobotMap

CONTACT = "contact"
LINK = "link "  # of a step to an element: the tag and the name
PRESENT: Reals = (1.0,)  # the value of a tag without a number, such as `<friction_anchor/>`

Contact = Mapping[str, Reals]  # the numbers by tag


def contact_differences(robots: RobotMap, settings: ComparisonSettings) -> Iterator[Difference]:
    """Yield the values of contacts that differ between two URDFs; complete copies have them as text."""
    if settings.complete or not are_compared(robots.a.raw, robots.b.raw):
        return
    contacts = _contacts_in(robots.a.raw)
    other_contacts = _contacts_in(robots.b.raw)
    for a, b in robots.bodies.items() if contacts or other_contacts else ():
        of_links = _of_touching_links(robots.a.bodies[a], contacts)
        of_other_links = _of_touching_links(robots.b.bodies[b], other_contacts)
        yield from _of_body(of_links, of_other_links)


def are_compared(a: RawRobot, b: RawRobot) -> bool:
    """Return True if both files have contacts of PyBullet: URDFs."""
    return a.format == b.format == "urdf"


def unread_beside(robot: RawRobot, other: RawRobot) -> List[UnreadElement]:
    """Return the elements of a robot that no reader took, without the contacts that are compared with another robot.

    A contact touches nothing in a link without collisions, where it is not compared.
    """
    if not are_compared(robot, other):
        return list(robot.unread)
    touching = {
        link.name for link in robot.links if any(shape.role == "collision" for shape in link.shapes)
    }
    return [
        item
        for item in robot.unread
        if contact_of(item) is None or item.steps[0][len(LINK) :] not in touching
    ]


def contact_of(item: UnreadElement) -> Optional[Contact]:
    """Return the values of a `<contact>` in a link; None for a different element, or for an unreadable value."""
    if len(item.steps) != 2 or not item.steps[0].startswith(LINK):
        return None
    if not item.words or item.words[0][0] != CONTACT:
        return None
    values: Dict[str, Reals] = {}
    for path, attributes, text in item.words[1:]:
        written = dict(attributes).get("value", text).strip()
        numbers = numbers_in(written, 1) if written else PRESENT
        if numbers is None:
            return None
        values.setdefault(path.partition("/")[2], numbers)
    return values


def _contacts_in(robot: RawRobot) -> Dict[str, Contact]:
    """Return the contact of each link that has one, by the name of the link."""
    contacts: Dict[str, Contact] = {}
    for item in robot.unread:
        contact = contact_of(item)
        if contact is not None:
            contacts.setdefault(item.steps[0][len(LINK) :], contact)
    return contacts


def _of_touching_links(body: Body, contacts: Mapping[str, Contact]) -> Dict[str, Contact]:
    """Return by name the contacts of the links of a body that have collisions; links with the defaults have {}."""
    touching: Dict[str, Contact] = {}
    for part in body.parts:
        if any(shape.role == "collision" for shape in part.link.shapes):
            touching[part.link.name] = contacts.get(part.link.name, {})
    return touching


def _of_body(links: Mapping[str, Contact], others: Mapping[str, Contact]) -> Iterator[Difference]:
    """Yield the differences between the links of two bodies: by name, or as a whole if some were renamed or merged."""
    for tag in dict.fromkeys(chain.from_iterable((*links.values(), *others.values()))):
        values = {name: _value(contact, tag) for name, contact in links.items()}
        other_values = {name: _value(contact, tag) for name, contact in others.items()}
        if values.keys() == other_values.keys():
            for name, value in values.items():
                if value != other_values[name]:
                    yield _difference(name, tag, value, other_values[name])
        elif {*values.values()} != {*other_values.values()}:
            odd = [name for name, value in values.items() if value not in other_values.values()]
            name = [*odd, *values, *others][0]
            yield _difference(name, tag, _each(values.values()), _each(other_values.values()))


def _difference(name: str, tag: str, value: Reals, other_value: Reals) -> Difference:
    """Return the difference of a value of two contacts; the lines of their tags are not known."""
    return value_difference("surface", name, f"{CONTACT} {tag}", value, other_value, 0, 0)


def _value(contact: Contact, tag: str) -> Reals:
    """Return a value of a contact, or the default of PyBullet."""
    default = default_of(tag)[1]
    return contact.get(tag) or numbers_in(default, 1) or ()


def _each(values: Iterable[Reals]) -> Reals:
    """Return each of several values once, in order."""
    several: List[Reals] = sorted({*values})
    return tuple(chain.from_iterable(several))
