// ---- comparison: A, which the sliders move, is `new`; B, which follows by the map, is `old`. A thing is a body of A,
// with its partner in B; after those come the bodies that only B has.

Object.assign(state, { view: "overlay", show: new Set(["shapes", "axes", "changes", "grid"]) });
const VIEWS = ["overlay", "both", "a", "b"];
const count = data.new.links.length;
const sides = {
  new: { robot: data.new, key: "a", poses: () => now.T_new, positions: () => now.q_new, of: k => k, view: "a", title: "A" },
  old: { robot: data.old, key: "b", poses: () => now.T_old, positions: () => now.q_old,
    of: k => (data.old.links[k].to === undefined ? count + k : data.old.links[k].to), view: "b", title: "B" } };
const measured = Object.values(sides);
const numberOf = new Map([...data.old.links.map((link, k) => [link.name, sides.old.of(k)]),
  ...data.new.links.map((link, k) => [link.name, k])]);
const PAPER = [.80, .81, .83, 1], GHOST = [.05, .60, .80, .42], CLASSES = {
  structure: [.86, .13, .18, 1], geometry: [.58, .27, .90, 1], masses: [.96, .56, .04, 1], limits: [.10, .62, .32, 1] };

const thing = id => (id < count ? data.new.links[id] : data.old.links[id - count]);
const placeOf = (id, at) => (id < count ? at.T_new[id] : at.T_old[id - count]);
const thingOf = row => things(data.differences[+row.dataset.row])[0];
const rowsOf = id => rows.filter(row => things(data.differences[+row.dataset.row]).includes(id));

// The things that a difference is about, -1 alone if it is about the whole.
function things({ a, b }) {
  const found = [...a.bodies, ...b.bodies.map(sides.old.of)];
  return found.length ? [...new Set(found)] : [-1];
}

// The class of what is wrong with a body or joint of a side: of the chosen row, else of the worst.
const worst = Object.fromEntries(["a", "b"].map(key => [key, Object.fromEntries(["bodies", "joints"].map(part => {
  const found = new Map();
  for (const difference of [...data.differences].reverse()) {
    if (part === "bodies" && difference.of === "limits" && difference[key].joints.length) continue; // of the joint alone
    for (const number of difference[key][part]) found.set(number, difference.of);
  }
  return [part, found];
}))]));
function classOf(side, part, number) {
  if (!state.show.has("changes")) return undefined;
  const chosen = data.differences[state.chosen];
  if (!chosen) return worst[side.key][part].get(number);
  return chosen[side.key][part].includes(number) ? chosen.of : undefined;
}

function choose(row) {
  select(thingOf(row), false);
  for (const other of rows) other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  if (row.closest("details")) row.closest("details").open = true;
  state.chosen = +row.dataset.row;
  changed();
}

function colorOf(side, link, shape) {
  const own = shape && shape.color || GRAY, of = side.of(link), wrong = classOf(side, "bodies", link);
  let color = state.show.has("changes") ? mixed(own, PAPER, .8) : own;
  if (side === sides.old && (state.view === "overlay" || state.show.has("changes"))) color = mixed(color, GHOST, .75);
  if (wrong) color = mixed(color, CLASSES[wrong], wrong === "limits" && state.chosen < 0 ? .45 : .8);
  else if (of === state.selected && state.chosen < 0) color = mixed(color, BLUE, .7);
  return of === state.hovered ? mixed(color, [1, 1, 1], .22) : color;
}

function axisColor(side, joint, number) {
  const wrong = classOf(side, "joints", number);
  if (wrong) return CLASSES[wrong];
  if (side === sides.new) return GOLD;
  return state.view === "overlay" && joint.by !== undefined ? null : GHOST;
}

// Bodies whose shapes cannot be drawn show the ellipsoid of their inertia; over shapes of the other robot, none.
function standIns(side, T) {
  const seen = new Set(state.view === "overlay" ? Object.values(sides).flatMap(({ robot, of }) => robot.links.map(
    (link, k) => (link.shapes.some(isSeen) ? of(k) : -1))) : []);
  const alone = ([link, k]) => link.missing && !seen.has(side.of(k));
  return side.robot.links.map((link, k) => [link, k]).filter(alone).map(([link, k]) => [
    "ball", compose(T[k], link.ellipsoid.T), link.ellipsoid.size, colorOf(side, k, null), side.of(k) + 1]);
}

function overlay() {
  const a = sceneOf(sides.new), b = sceneOf(sides.old);
  const ghost = b.solid.map(([shape, T, size, color, id]) => [shape, T, size, [...color.slice(0, 3), GHOST[3]], id]);
  return { solid: a.solid, ghost, clear: [...a.clear, ...b.clear], top: [...b.top, ...a.top] };
}

function distanceText(meters) {
  const [unit, factor] = [["m", 1], ["mm", 1e3], ["µm", 1e6]].find(([, times]) => meters * times >= 1) || ["nm", 1e9];
  return `${+(meters * factor).toPrecision(3)} ${unit}`;
}

// The page's own check: A and B are computed from their own joints. The bound is for all positions within the limits.
function showDistance() {
  const known = data.allowed !== null, good = !known || now.far <= data.allowed;
  const name = data.old.links[now.farthest].name, far = distanceText(now.far);
  const where = now.far <= 1e-9 ? `every body ${known ? "of B" : "that both have"} is where A has it` : `'${name}' of B is ${far} from where A has it`;
  const more = now.far <= 1e-9 ? "" : !good ? ", more than the bound for all poses" : ", the farthest of all";
  const mark = good ? known && now.far <= 1e-9 ? "✓" : "" : "✗";
  find("#live").replaceChildren(make("b", mark, good ? "" : "bad"), ` At this pose ${where}${more}.`);
  find("#verdict").classList.toggle("bad", !good);
}

function positionText(joint, value, text) {
  const partner = data.old.joints.find(one => one.by === joint);
  if (!partner || partner.sign === 1 && !partner.offset) return [text];
  const b = shown(partner.sign * value + partner.offset, joint).text;
  return [`A ${text.replace(/[ °].*/, "")} · B ${b}${text.replace(/^[^ °]*/, "")}`];
}

function captionOf(side) {
  const found = new Set(data.differences.map(difference => difference.of));
  const legend = state.show.has("changes") ? Object.entries(CLASSES).filter(([one]) => found.has(one))
    .map(([one, color]) => [one === "limits" ? "other" : one, color]) : [];
  if (!side) legend.unshift(["B where it is not as A", GHOST]);
  return side ? { title: side.title, more: `${side.robot.links.length} bodies`, legend }
    : { title: "A and B", more: "", legend };
}

function tipLines(id) {
  const b = data.old.links.find((link, k) => sides.old.of(k) === id), a = id < count ? data.new.links[id] : null;
  const said = (side, link) => `${side}: ${!link ? "not there"
    : link.mass ? `${+link.mass.toPrecision(4)} kg` : "no mass"}${link && a && link.name !== a.name ? ` (${link.name})` : ""}`;
  return [said("A", a), said("B", b), ...rowsOf(id).slice(0, 4).map(row => find("b", row).textContent)];
}
