// ---- before and after: the page of a run. `old` is the input, `new` the result; a thing is a link of the input.
// Of a run that changes nothing, as of `view ROBOT`, both are one robot, and it is shown alone.

Object.assign(state, { view: data.alone ? "after" : "both", show: new Set(["shapes", "frames", "axes", "changes", "grid"]) });
const VIEWS = data.alone ? ["after"] : ["both", "before", "after", "overlay"];
const numberOf = new Map(data.old.links.map((link, k) => [link.name, k]));
const sides = {
  old: { robot: data.old, poses: () => now.T_old, positions: () => now.q_old, of: k => k, view: "before", title: "Before" },
  new: { robot: data.new, poses: () => now.T_new, positions: () => now.q_new,
    of: k => numberOf.get(data.new.links[k].name), view: "after", title: "After" } };
const measured = [sides.old]; // the result fills the same room
const LEGEND = [["stripped", RED, link => link.shapes.some(shape => shape.change === "stripped")],
  ["merged", VIOLET, link => link.merged]].filter(([, , applies]) => data.old.links.some(applies));
if (data.old.joints.some(joint => joint.sign < 0)) LEGEND.push(["flipped", MAGENTA]);

const thing = id => data.old.links[id];
const placeOf = (id, at) => at.T_old[id];
const thingOf = row => numberOf.get(row.dataset.link);
const rowsOf = id => rows.filter(row => row.dataset.link === thing(id).name).slice(0, 1);
const choose = row => select(thingOf(row), false);

function colorOf(side, link, shape) {
  const own = shape && shape.color || GRAY, of = shape && shape.of !== undefined ? shape.of : side.of(link);
  let color = own;
  if (side === sides.old && state.show.has("changes")) {
    if (shape && shape.change) color = shape.change === "copy" ? mixed(own, VIOLET, .75) : RED;
    else if (data.old.links[link].merged) color = mixed(own, VIOLET, .6);
  }
  if (of === state.selected) color = mixed(color, BLUE, .7);
  return of === state.hovered ? mixed(color, [1, 1, 1], .22) : color;
}

function axisColor(side, joint) {
  return side === sides.old && joint.sign < 0 && state.show.has("changes") ? MAGENTA : GOLD;
}

// What stands for a missing mesh is of a link of the input in both views, so that they look alike.
function standIns(side, T) {
  const found = [];
  data.old.links.forEach((link, k) => {
    const is_old = side === sides.old;
    if (!link.missing) return;
    const place = is_old ? T[k] : compose(T[link.to], link.T);
    const color = is_old ? colorOf(side, k, null) : colorOf(side, link.to, { of: k });
    found.push(["ball", compose(place, link.ellipsoid.T), link.ellipsoid.size, color, k + 1]);
  });
  return found;
}

function overlay() {
  const lists = sceneOf(sides.new), before = sceneOf(sides.old, .4);
  const removed = before.solid.filter(item => item[3][0] === RED[0] && item[3][1] === RED[1]);
  return { solid: [...lists.solid, ...removed], clear: lists.clear, top: [...before.top, ...lists.top] };
}

// The page's own check: both robots are computed from their own joints, so this is no echo of the proof.
function showDistance() {
  const good = now.far <= data.allowed, count = data.old.links.length;
  const where = good ? `every one of ${count} links is ${now.far ? `within ${lengthText(now.far)} of` : "exactly in"} its place`
    : `'${data.old.links[now.farthest].name}' is ${lengthText(now.far)} from its place`;
  if (data.alone) {
    find("#live").textContent = "";
    return;
  }
  find("#live").replaceChildren(make("b", good ? "✓" : "✗", good ? "" : "bad"), ` At this pose ${where}.`);
  find("#verdict").classList.toggle("bad", !good);
}

// What is shown of a position, and what is said of it where that is something else.
function positionText(joint, value, text) {
  const { sign, offset = 0 } = data.new.joints[joint];
  if (sign > 0 && !offset) return [text];
  const before = shown(sign * value + offset, joint).text;
  return [`${before} → ${text}`, `${before} before, ${text} after`];
}

function captionOf(side) {
  const legend = side !== sides.new && state.show.has("changes") ? LEGEND : [], links = (side || sides.new).robot.links.length;
  return side ? { title: data.alone ? find("h1").textContent : side.title, more: `${links} links`, legend }
    : { title: "Overlay", more: "after, and pale before", legend };
}

function tipLines(id) {
  const { mass, merged, to, why } = thing(id);
  return [mass ? `${+mass.toPrecision(4)} kg` : "no mass", ...merged ? [`→ ${data.new.links[to].name}: ${why}`] : []];
}
