"""Compose the layers of a robot into a stage: sublayers, inherits, variants, references, payloads, specializes, instances.

A prim of a stage is a tree of places (a stack of layers, a path in it), each brought in by an arc. Strong to weak is a
walk through the tree: the opinions of the place itself, then the places that it inherits, its variants, references,
payloads; the places that it specializes are weakest of all (OpenUSD, glossary: LIVRPS). Relocates are refused, and time
is not read.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, Iterable, Iterator, List, NoReturn, Optional, Sequence, Tuple

from ...base.errors import BrokenRobot, UrdfError, UsageError
from ...base.type_aliases import Pair, Texts
from ...robot.raw_robot import UnreadElement, VARIANT_SET
from .usd_layers import beside, UsdLayer, LayerLoader, REMOTE, text_of
from .prim_tree import APPLIED, FLATTEN, joined, Prim, PrimProperty, WrittenValue

LOCAL, INHERIT, VARIANT, REFERENCE, PAYLOAD, SPECIALIZE = range(6)  # from strong to weak
ARCS = (
    ("inherits", INHERIT),
    ("references", REFERENCE),
    ("payload", PAYLOAD),
    ("specializes", SPECIALIZE),
)
# The edits of a list, in the order in which a layer applies them.
EDITS = ("", "delete ", "add ", "prepend ", "append ")
FALSE = ("false", "False", "0")
MOST_PLACES = 5000  # of a prim
DEEPEST_ARCS = 64
MOST_OF_ALL = 200_000  # places of all prims together
DEEPEST_PRIM = 200
# Types that hold no part of a robot: a file that is missing for them is no loss.
ONLY_LOOKS = (
    "Material",
    "Shader",
    "NodeGraph",
    "DomeLight",
    "RectLight",
    "SphereLight",
    "DistantLight",
)
NOT_THERE = "it takes @{0}@ from elsewhere, which is not there: the bodies in that would be missing"
NOT_FETCHED = "it takes @{0}@ from elsewhere, which is not fetched: download it, and name the file"
NO_DEFAULT = "it takes @{0}@, which has no default prim, and no prim of it is named"
TOO_MANY = "arcs make too many prims here, or more than {0} in each other"
IMPLIED = (
    "it inherits <{0}>, which {1} has as well: what both say together is not composed here: "
    + FLATTEN
)
RELOCATED = "it is moved to <{0}> (relocates), which is not composed here: " + FLATTEN
UNSELECTED = "of its variants '{0}' ({1}) {2}, so their content is not read"
NO_PRIM = "it takes <{0}> from {1}, which is not there"
Stack = Tuple[UsdLayer, ...]  # a layer with its sublayers, the strongest first


class LayerPosition:
    """A place in a stack of layers with opinions on a prim; the first place of a tree has the path of its prim.

    Attributes:
        above, below: the place whose arc brought it in, and the places that its own arcs bring in.
        kind: of the arc that brought it in. depth: of the prim that has the arc.
        source, target: the end of the arc, and its beginning in the stack above: they map paths to the stage.
        silent: True for a place that an instance leaves out.
    """

    __slots__ = (
        "above",
        "below",
        "depth",
        "kind",
        "path",
        "silent",
        "source",
        "stack",
        "target",
    )

    def __init__(self, stack: Stack, path: str, kind: int = LOCAL, depth: int = 0) -> None:
        """Make a place that brings in nothing yet."""
        self.stack = stack
        self.path = path
        self.kind = kind
        self.depth = depth
        self.above: Optional[LayerPosition] = None
        self.below: List[LayerPosition] = []
        self.source = "/"
        self.target = "/"
        self.silent = False

    @property
    def level(self) -> int:
        """The number of names in its path, if this is the path of a prim of the stage."""
        return self.path.count("/")

    def specs(self) -> Iterator[Prim]:
        """Yield the prims of its layers at its path, the strongest first."""
        for layer in self.stack:
            prim = layer.prims.get(self.path)
            if prim is not None:
                yield prim

    def all(self) -> "Iterator[LayerPosition]":
        """Yield this place and all places below it."""
        yield self
        for place in self.below:
            yield from place.all()

    def chain(self) -> "Iterator[LayerPosition]":
        """Yield this place, the place that brought it in, and so on."""
        place: Optional[LayerPosition] = self
        while place is not None:
            yield place
            place = place.above

    @property
    def is_of_class(self) -> bool:
        """True if it came by an inherit or a specialize."""
        return any(place.kind in (INHERIT, SPECIALIZE) for place in self.chain())

    def to_stage(self, path: str) -> Optional[str]:
        """Return a path of its layers as a path of the stage, None if it is outside of the prim that is brought in."""
        path = without_variants(path)
        # The innermost arc first: each maps its source to where it stands.
        for place in self.chain():
            if place.above is None:
                break
            if place.source == "/":
                path = place.target + path
            elif _is_in(path, place.source):
                path = place.target + path[len(place.source) :]
            # Outside of the source: kept in the same stack, but not where the arc itself stands.
            elif place.stack is not place.above.stack or _is_in(path, place.target):
                return None
        return path

    def down(self, name: str, above: "Optional[LayerPosition]" = None) -> "LayerPosition":
        """Return the same tree for a child."""
        place = LayerPosition(self.stack, joined(self.path, name), self.kind, self.depth)
        place.above = above
        place.silent = self.silent
        place.source = self.source
        place.target = self.target
        place.below = [below.down(name, place) for below in self.below]
        return place

    def silence(self, depth: int) -> None:
        """Silence all places but those that the arcs of a prim of this depth bring in, with the places below them."""
        self.silent = True
        for below in self.below:
            if below.depth != depth:
                below.silence(depth)

    def strong_to_weak(self) -> "Iterator[LayerPosition]":
        """Yield the places that are not silent, the strongest first."""
        # Specialized places come after all others, whichever place specializes them.
        late: List[LayerPosition] = []
        yield from self._walk(late)
        for place in late:
            yield from place._walk(late)

    def opinions(self) -> "Iterator[Tuple[LayerPosition, Prim]]":
        """Yield the prims of all places that are not silent, the strongest first."""
        for place in self.strong_to_weak():
            for prim in place.specs():
                yield place, prim

    def _walk(self, late: "List[LayerPosition]") -> "Iterator[LayerPosition]":
        """Yield the places that are not silent, without those that are specialized: they are added to `late`."""
        if not self.silent:
            yield self
        # An arc that is deeper, on the prim itself, is stronger than an arc of a prim around it.
        for below in sorted(self.below, key=lambda place: (place.kind, -place.depth)):
            if below.kind == SPECIALIZE:
                late.append(below)
            else:
                yield from below._walk(late)


def _refuse_endless(place: LayerPosition, led: Tuple[Stack, str], tree: LayerPosition) -> None:
    """Refuse an arc to a prim that holds the place of the arc, and arcs that lead too far."""
    stack, source = led
    for steps, above in enumerate(place.chain()):
        is_circle = (
            above.stack == stack and above.depth == tree.level and _is_in(above.path, source)
        )
        if is_circle or steps >= DEEPEST_ARCS:
            _refuse(tree, "it takes in itself, or arcs lead on without an end")


def _is_in(path: str, outer: str) -> bool:
    """Return True for the path of a prim, of a prim in it, or of a property of it."""
    return path == outer or path.startswith((f"{outer}/", f"{outer}."))


def without_variants(path: str) -> str:
    """Return a path without the variants that are named in it."""
    while "{" in path:
        before, _, rest = path.partition("{")
        _, _, after = rest.partition("}")
        # A prim behind a variant has no slash: `/robot{gripper=none}finger`.
        slash = "/" if after and after[0] not in "/.[{" else ""
        path = f"{before}{slash}{after}"
    return path


def items_of(value: Optional[WrittenValue]) -> Tuple[WrittenValue, ...]:
    """Return the items of a list, of one value, or of the word None."""
    if value is None or value.kind == "word":
        return ()
    return value.parts if value.kind == "list" else (value,)


def edited(
    weaker: Sequence[WrittenValue], edit: str, items: Sequence[WrittenValue]
) -> List[WrittenValue]:
    """Return a list after an edit of it; each item is in it once (SdfListOp)."""
    fresh = list(dict.fromkeys(items))
    if not edit:
        return fresh
    if edit == "add ":
        return [*weaker, *(item for item in fresh if item not in weaker)]
    others = [item for item in weaker if item not in fresh]
    if edit == "prepend ":
        return [*fresh, *others]
    if edit == "append ":
        return [*others, *fresh]
    return others  # "delete "


class ComposedStage:
    """Composes the layers that the first of them names.

    Attributes:
        notes: on files and prims that are missing, and are no part of a robot.
        unselected: sets of variants of which none is taken, by the path of their prim and their name.
    """

    def __init__(self, layers: LayerLoader, file: str) -> None:
        """Open the layers of a file, with its sublayers."""
        self.notes: List[str] = []
        self.unselected: Dict[Pair, UnreadElement] = {}
        self._file = file
        self._layers = layers
        self._stacks: Dict[str, Stack] = {}
        self._around: Dict[Tuple[int, str], LayerPosition] = {}
        self._root = self._stack(layers.root_of(file), ())

    def compose(self) -> Prim:
        """Return a prim that holds the prims of the stage: all that are defined and active."""
        layer = self._root[0].top
        if layer.is_stage:
            return layer
        tree = LayerPosition(self._root, "/")
        top = Prim(specifier="def", type="", name="", path="", file=layer.file, line=layer.line)
        top.said = layer.said
        waiting: List[Tuple[LayerPosition, Prim]] = [(tree, top)]
        count = 0
        while waiting:
            tree, prim = waiting.pop()
            for child in self._children(tree):
                count += len([*child.all()])
                made = _made(child)
                if count > MOST_OF_ALL or child.level > DEEPEST_PRIM:
                    made.refuse(TOO_MANY.format(DEEPEST_PRIM))
                if made.specifier == "def" and text_of(made, "active") not in FALSE:
                    prim.children.append(made)
                    waiting.append((child, made))
        return top

    def _stack(self, file: str, above: Texts) -> Stack:
        """Return a layer with its sublayers; `above` are the layers that lead to it."""
        if file in above:
            raise BrokenRobot("it is a sublayer of itself", file)
        if file not in self._stacks:
            layer = self._layers.open(file)
            _refuse_relocates(layer)
            found = [layer]
            for item in items_of(layer.top.said.get("subLayers")):
                named = self._file_of(layer.top, item.text)
                found += self._stack(named, (*above, file))
            self._stacks[file] = tuple(found)
        return self._stacks[file]

    def _file_of(self, prim: Prim, asset: str) -> str:
        """Return the file that a prim names.

        Raises:
            BrokenRobot: the file does not exist, or is remote.
        """
        if REMOTE in asset or asset.startswith("omniverse:"):
            prim.refuse(NOT_FETCHED.format(asset))
        file = beside(prim.file, asset)
        if not self._layers.exists(file):
            prim.refuse(NOT_THERE.format(asset))
        return self._layers.root_of(file)

    def _children(self, tree: LayerPosition) -> Iterator[LayerPosition]:
        """Yield the prims in a prim, in the order of the stage."""
        opinions = (prim for _, prim in tree.opinions() if "instanceable" in prim.said)
        is_instance = text_of(next(opinions, None), "instanceable") not in ("", *FALSE)
        # Opinions on prims in an instance count only where its own arcs bring them in.
        if is_instance and any(place.depth == tree.level for place in tree.all()):
            tree.silence(tree.level)
        names: Dict[str, None] = {}
        # From weak to strong, each place adds the names that are new: this is USD's order.
        for _, prim in reversed(list(tree.opinions())):
            names.update(dict.fromkeys(child.name for child in prim.children))
        for name in names:
            yield self._grown(tree.down(name))

    def _grown(self, tree: LayerPosition) -> LayerPosition:
        """Add the places that its arcs bring in to a prim, and return it."""
        waiting = [place for place in tree.all() if not place.silent]
        count = 0
        while waiting:
            count += len(waiting)
            if count > MOST_PLACES:
                _refuse(tree, "it is made of too many parts")
            fresh: List[LayerPosition] = []
            for place in waiting:
                fresh += self._arcs_of(place, tree)
            # One variant at a time, once arcs bring in no more: they may bring its selection.
            waiting = fresh or self._next_variant(tree)
        return tree

    def _arcs_of(self, place: LayerPosition, tree: LayerPosition) -> List[LayerPosition]:
        """Add the places that the arcs of a place bring in, and return them."""
        fresh: List[LayerPosition] = []
        for key, kind in ARCS:
            for item, prim in _listed(place.specs(), key):
                led = self._led_to(place, item, prim, kind)
                if led is not None:
                    fresh += self._add(place, kind, led, tree)
        return fresh

    def _led_to(
        self, place: LayerPosition, item: WrittenValue, prim: Prim, kind: int
    ) -> Optional[Tuple[Stack, str]]:
        """Return the stack and the path that an arc leads to; None if only looks are missing."""
        if kind in (INHERIT, SPECIALIZE):
            _refuse_implied(place, item, prim)
            return place.stack, item.text
        if item.kind == "path" and item.text:
            return place.stack, item.text
        stack = place.stack
        try:
            if item.kind != "path":  # without a file it leads to the same layers
                stack = self._stack(self._file_of(prim, item.text), ())
        except UrdfError as error:
            if prim.type not in ONLY_LOOKS:
                raise
            self.notes.append(f"{prim!r}: {error}")
            return None
        if item.kind == "reference":
            return stack, item.parts[0].text
        named = text_of(stack[0].top, "defaultPrim")
        if not named:
            prim.refuse(NO_DEFAULT.format(item.text))
        return stack, f"/{named.lstrip('/')}"

    def _add(
        self, place: LayerPosition, kind: int, led: Tuple[Stack, str], tree: LayerPosition
    ) -> List[LayerPosition]:
        """Add the place that an arc of a place leads to, and return it with all places below it.

        `led` is the stack and the path that the arc leads to; `tree` is the prim of the stage that is composed.
        """
        stack, source = led
        if not source.startswith("/") or source == "/":
            _refuse(tree, f"it takes <{source}> from elsewhere, which is no prim")
        # A variant is a part of its own prim, so it cannot lead in a circle.
        if kind != VARIANT:
            _refuse_endless(place, led, tree)
        fresh = LayerPosition(stack, source, kind, tree.level)
        fresh.above = place
        fresh.source = without_variants(source)
        fresh.target = without_variants(place.path)
        place.below.append(fresh)
        around, _, name = source.rpartition("/")
        if around and kind != VARIANT:
            self._add_around(fresh, around, name, tree.level - source.count("/"))
        is_empty = not fresh.below and next(fresh.specs(), None) is None
        # An inherited or specialized prim may be missing; a reference or payload must lead to a prim.
        if is_empty and kind in (REFERENCE, PAYLOAD):
            self._refuse_or_note_missing(next(place.specs()), led)
        return list(fresh.all())

    def _refuse_or_note_missing(self, prim: Prim, led: Tuple[Stack, str]) -> None:
        """Refuse a prim whose arc leads to no prim; note it, if only looks are missing."""
        stack, source = led
        sentence = NO_PRIM.format(source, stack[0].file)
        if prim.type not in ONLY_LOOKS:
            prim.refuse(sentence)
        self.notes.append(f"{prim!r}: {sentence}")

    def _add_around(self, fresh: LayerPosition, around: str, name: str, deeper: int) -> None:
        """Add the places that arcs of the prims around the source bring in: they hold for the source, too."""
        key = (id(fresh.stack), around)
        if key not in self._around:
            found = LayerPosition(fresh.stack, "/")
            for part in around[1:].split("/"):
                found = self._grown(found.down(part))
            self._around[key] = found
        copy = self._around[key].down(name)
        fresh.below = copy.below
        for below in copy.below:
            below.above = fresh
            for place in below.all():
                place.depth += deeper

    def _next_variant(self, tree: LayerPosition) -> List[LayerPosition]:
        """Add the first variant that is selected and was not added before, and return the new places."""
        # A list, as a place is added while it is walked.
        for place in list(tree.strong_to_weak()):
            for value, _ in _listed(place.specs(), "variantSets"):
                start = f"{place.path}{{{value.text}="
                variants = [below for below in place.below if below.kind == VARIANT]
                if not any(variant.path.startswith(start) for variant in variants):
                    selected = _selection(tree, value.text)
                    self._note_unselected(tree, place, value.text, selected)
                    path = f"{start}{selected}}}"
                    return self._add(place, VARIANT, (place.stack, path), tree)
        return []

    def _note_unselected(
        self, tree: LayerPosition, place: LayerPosition, name: str, selected: str
    ) -> None:
        """Note a set of variants of which none is taken: nothing is selected, or a name that it does not have."""
        sets = [prim.variants.get(name, {}) for prim in place.specs()]
        variants = dict.fromkeys(chain.from_iterable(sets))
        if not variants or selected in variants:
            return
        why = f"'{selected}' is selected, which is not there" if selected else "none is selected"
        names = ", ".join(f"'{variant}'" for variant in variants)
        sentence = UNSELECTED.format(name, names, why)
        prim = next(place.specs())
        # Lines refer to the file of the robot.
        line = prim.line if prim.file == self._file else 0
        self.unselected[tree.path, name] = UnreadElement(
            f"<{tree.path}>", sentence, line, where=VARIANT_SET
        )


def _refuse_relocates(layer: UsdLayer) -> None:
    """Refuse a layer with a prim that is moved to another path."""
    for prim in layer.prims.values():
        if "relocates" not in prim.said:
            continue
        for moved in prim.said["relocates"].parts:
            sentence = RELOCATED.format(moved.text)
            raise BrokenRobot(f"<{moved.kind}>: {sentence}", prim.file, prim.line)


def _refuse_implied(place: LayerPosition, item: WrittenValue, prim: Prim) -> None:
    """Refuse an inherit whose class the stacks above have as well: both hold, which is not composed here."""
    for above in place.chain():
        is_twice = any(item.text in layer.prims for layer in above.stack)
        if above.stack is not place.stack and is_twice:
            prim.refuse(IMPLIED.format(item.text, above.stack[0].file))


def _listed(prims: Iterable[Prim], key: str) -> List[Tuple[WrittenValue, Prim]]:
    """Return the list that prims make together, the strongest item first, each with the prim that adds it."""
    said: Dict[WrittenValue, Prim] = {}
    items: List[WrittenValue] = []
    # From weak to strong: each edit changes the list of the weaker prims.
    for prim in reversed(list(prims)):
        for edit in EDITS:
            value = prim.said.get(f"{edit}{key}")
            if value is not None:
                changes = items_of(value)
                said.update(dict.fromkeys(changes, prim))
                items = edited(items, edit, changes)
    return [(item, said[item]) for item in items]


def _selection(place: LayerPosition, name: str) -> str:
    """Return the variant of a set that the strongest opinion selects, "" without any."""
    for _, prim in place.opinions():
        if "variants" not in prim.said:
            continue
        for part in prim.said["variants"].parts:
            if part.kind == name:
                return part.text
    return ""


def _refuse(tree: LayerPosition, sentence: str) -> NoReturn:
    """Refuse a prim of the stage, at its first place that a layer has."""
    specs = chain.from_iterable(place.specs() for place in tree.all())
    prim = next(specs, tree.stack[0].top)
    raise BrokenRobot(f"<{tree.path}>: {sentence}", prim.file, prim.line)


def _made(tree: LayerPosition) -> Prim:
    """Return a prim of the stage, given its places."""
    opinions = list(tree.opinions())
    prims = [prim for _, prim in opinions]
    types = [prim.type for prim in prims if prim.type]
    first = prims[0] if prims else tree.stack[0].top
    made = Prim(
        specifier=_specifier(opinions),
        type=types[0] if types else "",
        name=tree.path.rpartition("/")[2],
        path=tree.path,
        file=first.file,
        line=first.line,
    )
    made.is_proxy = tree.silent
    # The weakest first: stronger opinions are put over it.
    for place, prim in reversed(opinions):
        for key, value in prim.said.items():
            # Schemas are a list, which all prims make together.
            if not key.endswith("apiSchemas"):
                made.said[key] = value
        for entry in prim.properties.items():
            _put(made, place, prim, *entry)
    schemas = [value for value, _ in _listed(prims, "apiSchemas")]
    if schemas:
        made.said[APPLIED] = WrittenValue("list", "", tuple(schemas))
    return made


def _specifier(opinions: Sequence[Tuple[LayerPosition, Prim]]) -> str:
    """Return `def`, `over` or `class` for a prim of the stage."""
    # `over` does not tell the kind of a prim: the strongest other word counts.
    specifiers = [prim.specifier for _, prim in opinions if prim.specifier != "over"]
    # A class makes no class of a prim that inherits it, if another place defines this prim.
    inherits_class = any(
        prim.specifier == "class" and place.is_of_class for place, prim in opinions
    )
    if "def" in specifiers and inherits_class:
        return "def"
    return specifiers[0] if specifiers else "over"


def _put(made: Prim, place: LayerPosition, prim: Prim, key: str, entry: PrimProperty) -> None:
    """Put a property of a place over the property of weaker places."""
    value = entry.value
    edit, _, name = key.rpartition(" ")
    weaker = made.properties.get(name)
    is_targets = entry.type == "rel" or name.endswith(".connect")
    if value is None and weaker is not None:
        if not is_targets:
            return  # it is declared, without an opinion on its value
        value = weaker.value
    elif value is not None and is_targets:
        value = _targets(made, place, name, edit, value)
    # The word None hides the value of weaker layers.
    elif value is not None and value.kind == "word" and value.text == "None":
        value = None
    said = entry.said
    if not said and weaker is not None:
        said = weaker.said
    made.properties[name] = PrimProperty(
        type=entry.type, name=name, value=value, said=said, line=entry.line, file=prim.file
    )


def _targets(
    made: Prim, place: LayerPosition, name: str, edit: str, value: WrittenValue
) -> WrittenValue:
    """Return the targets of a property after an edit of its weaker targets, as paths of the stage."""
    weaker = made.properties.get(name)
    before = items_of(weaker.value) if weaker is not None else ()
    mapped = [(item, place.to_stage(item.text)) for item in items_of(value)]
    changes = [item._replace(text=path) for item, path in mapped if path is not None]
    if not edit:  # all weaker targets are replaced
        made.cut_off.discard(name)
    if len(changes) < len(mapped):
        made.cut_off.add(name)
    word = f"{edit} " if edit else ""
    return WrittenValue("list", "", tuple(edited(before, word, changes)))


def read_stage(layers: LayerLoader, file: str) -> Tuple[Prim, List[str], List[UnreadElement]]:
    """Return a prim that holds the prims of a stage, notes on missing parts, and variants of which none is selected.

    Raises:
        UrdfError: it is no USD, a layer is missing or broken, or the layers do not fit together.
    """
    try:
        stage = ComposedStage(layers, file)
        return stage.compose(), stage.notes, [*stage.unselected.values()]
    except RecursionError:
        raise UsageError("its arcs are nested too deeply", file) from None
