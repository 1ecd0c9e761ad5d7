// ---- robots: A, which the sliders move, is `new`; B, which follows by the map, is `old`: of a run the result and the
// input, of a single robot A alone. A thing is a body of A, with its partner in B; after those come those of B alone.
// A row of the page is about some things, and has a class if it is a difference.

const VIEWS = all("[data-view]").map(button => button.dataset.view), alone = !data.old.links.length;
const compares = data.sides.new === "A"; // of a run nothing differs, so its robots keep their colors
if (alone) VIEWS.push("after");
Object.assign(state, {
  view: VIEWS[0], show: new Set(["shapes", ...compares ? [] : ["frames"], "axes", "changes", "grid"]) });
const count = data.new.links.length;
const sides = {
  new: { robot: data.new, key: "a", poses: () => now.T_new, positions: () => now.q_new, of: k => k },
  old: { robot: data.old, key: "b", poses: () => now.T_old, positions: () => now.q_old,
    of: k => (data.old.links[k].to === undefined ? count + k : data.old.links[k].to) } };
for (const [key, title] of Object.entries(data.sides)) Object.assign(sides[key], { title, view: title.toLowerCase() });
const measured = alone ? [sides.new] : Object.values(sides).sort((a, b) => VIEWS.indexOf(a.view) - VIEWS.indexOf(b.view));
const numberOf = new Map([...data.old.links.map((link, k) => [link.name, sides.old.of(k)]),
  ...data.new.links.map((link, k) => [link.name, k])]);
const PAPER = [.80, .81, .83, 1], GHOST = [.05, .60, .80, .42], CLASSES = {
  structure: [.86, .13, .18, 1], geometry: [.58, .27, .90, 1], masses: [.96, .56, .04, 1], limits: [.10, .62, .32, 1],
  base: [.86, .13, .18, 1], names: [.96, .56, .04, 1], unproven: [.20, .45, .95, 1],
  convention: [.96, .56, .04, 1] };
const CHANGES = { stripped: [RED, 1], merged: [VIOLET, .6], copy: [VIOLET, .75] }; // color, and how much of it

const thing = id => (id < count ? data.new.links[id] : data.old.links[id - count]);
const placeOf = (id, at) => (id < count ? at.T_new[id] : at.T_old[id - count]);
const told = row => data.rows[+row.dataset.row];
const thingOf = row => things(told(row))[0];

// The rows of a thing; of a link only the first, by which the thing is called.
function rowsOf(id) {
  const found = rows.filter(row => things(told(row)).includes(id)), { name } = thing(id);
  return found.filter(row => told(row).link === undefined || told(row).link === name);
}

// The things that a row is about, -1 alone if it is about the whole.
function things({ a, b }) {
  const found = [...a.bodies, ...b.bodies.map(sides.old.of)];
  return found.length ? [...new Set(found)] : [-1];
}

// The class of what is wrong with a body or joint of a side: of the chosen row, else of the worst.
const worst = Object.fromEntries(["a", "b"].map(key => [key, Object.fromEntries(["bodies", "joints"].map(part => {
  const found = new Map();
  for (const row of [...data.rows].reverse()) {
    if (part === "bodies" && row.of === "limits" && row[key].joints.length) continue; // of the joint alone
    for (const number of row[key][part]) found.set(number, row.of);
  }
  return [part, found];
}))]));
function classOf(side, part, number) {
  if (!state.show.has("changes")) return undefined;
  const chosen = data.rows[state.chosen];
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

// Of a link that is a part of a body only its own shapes are selected, where they are told apart.
function isSelected(side, link, shape) {
  const chosen = data.rows[state.chosen] || { link: "" };
  if (side.of(link) !== state.selected || chosen.link === undefined) return false;
  return !chosen.link || side === sides.new && !alone || !shape || !shape.link || shape.link === chosen.link;
}

function colorOf(side, link, shape) {
  const own = shape && shape.color || GRAY, of = side.of(link), wrong = classOf(side, "bodies", link);
  const marked = state.show.has("changes");
  let color = compares && marked ? mixed(own, PAPER, .8) : own;
  if (compares && side === sides.old && (state.view === "overlay" || marked)) color = mixed(color, GHOST, .75);
  if (marked && shape && shape.change) color = mixed(color, ...CHANGES[shape.change]);
  if (wrong) color = mixed(color, CLASSES[wrong], wrong === "limits" && state.chosen < 0 ? .45 : .8);
  else if (isSelected(side, link, shape)) color = mixed(color, BLUE, .7);
  return of === state.hovered ? mixed(color, [1, 1, 1], .22) : color;
}

function axisColor(side, joint, number) {
  const wrong = classOf(side, "joints", number);
  if (wrong) return CLASSES[wrong];
  if (side === sides.new) return GOLD;
  if (state.view === "overlay" && joint.by !== undefined) return null;
  return compares ? GHOST : joint.sign < 0 && state.show.has("changes") ? MAGENTA : GOLD;
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

// The page's own check: both are computed from their own joints. The bound is for all positions within the limits.
function showDistance() {
  if (alone) return;
  const known = data.allowed !== null, good = !known || !state.limits || now.far <= data.allowed, exact = now.far <= 1e-9;
  const [owner, there, here] = compares ? [" of B", "where A has it", "where A has it"] : ["", "its place", "in its place"];
  const every = `every body${known ? owner : " that both have"} is ${here}`;
  const body = exact ? "" : `'${data.old.links[now.farthest].name}'${owner}`, far = distanceText(now.far);
  const found = exact ? ` At this pose ${every}.`
    : good ? ` Largest distance at this pose: ${far} (${body})${known && !compares ? ", from rounded angles" : ""}.`
      : ` At this pose ${body} is ${far} from ${there}, more than the bound for all poses.`;
  const mark = !good ? "✗" : known && (exact || !compares) ? "✓" : "";
  find("#live").replaceChildren(make("b", mark, good ? "" : "bad"), found);
  find("#verdict").classList.toggle("bad", !good);
}

// What is shown of a position, and what is said of it where that is something else.
function positionText(joint, value, text) {
  const partner = data.old.joints.find(one => one.by === joint);
  if (!partner || partner.sign === 1 && !partner.offset) return [text];
  const b = shown(partner.sign * value + partner.offset, joint).text;
  if (!compares) return [`${b} → ${text}`, `${b} before, ${text} after`];
  return [`A ${text.replace(/[ °].*/, "")} · B ${b}${text.replace(/^[^ °]*/, "")}`];
}

function captionOf(side) {
  const found = new Set(data.rows.map(row => row.of));
  const legend = Object.entries(CLASSES).filter(([one]) => found.has(one)).map(
    ([one, color]) => [one === "limits" ? "other" : one, color]);
  const became = one => data.old.links.some(link => link.shapes.some(shape => shape.change === one));
  if (side !== sides.new) legend.push(...["stripped", "merged"].filter(became).map(one => [one, CHANGES[one][0]]));
  if (side === sides.old && !compares && data.old.joints.some(joint => joint.sign < 0)) legend.push(["flipped", MAGENTA]);
  if (!state.show.has("changes")) legend.length = 0;
  if (!side && compares) legend.unshift(["B where it is not as A", GHOST]);
  if (!side) return { title: `${sides.new.title} and ${sides.old.title}`, more: "", legend };
  const links = side.robot.links.flatMap(({ parts }) => parts).length;
  return { title: alone ? find("h1").textContent : side.title, more: `${links} ${links === 1 ? "link" : "links"}`, legend };
}

function tipLines(id) {
  const b = data.old.links.find((link, k) => sides.old.of(k) === id), a = id < count ? data.new.links[id] : null;
  const mass = link => (!link ? "not there" : link.mass ? `${+link.mass.toPrecision(4)} kg` : "no mass");
  const named = link => (link && a && link.name !== a.name ? ` (${link.name})` : "");
  if (alone || !compares && a && b && mass(a) === mass(b)) return [mass(a), ...merged(b || a)];
  const both = [[sides.new, a], [sides.old, b]].map(([side, link]) => `${side.title}: ${mass(link)}${named(link)}`);
  return [...both, ...compares ? rowsOf(id).slice(0, 4).map(row => find("b", row).textContent) : merged(b)];
}

const merged = body => (body && body.parts.length > 1 ? [`with ${body.parts.slice(1, 5).map(([name]) => name).join(", ")
  }${body.parts.length > 5 ? ` and ${body.parts.length - 5} more` : ""}`] : []);
