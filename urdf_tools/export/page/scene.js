// ---- scene: what is drawn of a robot, as lists of [shape, pose, size, color, id]
// An id is 1 + the number of the thing that something belongs to, the same in both views. What these things are, what
// colors say, and all words, robots.js knows.

const page = document.documentElement;
const find = (selector, inside = document) => inside.querySelector(selector);
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const rows = all("#tree button");
addEventListener("error", event => { page.dataset.error = `${page.dataset.error || ""}${event.message}; `; });

const data = JSON.parse(document.getElementById("data").textContent);
const state = {
  free: new Map(), view: "", show: new Set(), selected: -1, chosen: -1, hovered: -1, camera: null, fitted: true,
  limits: true, degrees: false, dump: false };
let now = solve(data, state.free);

const GRAY = [.70, .72, .75, 1], RED = [.86, .16, .18, 1], VIOLET = [.52, .36, .85, 1], GREEN = [.15, .70, .45, .45];
const GOLD = [.97, .70, .06, 1], MAGENTA = [.93, .18, .72, 1], BLUE = [.13, .42, 1, 1], INERTIA = [.20, .55, .95, .38];
const FRAME = [[[.88, .16, .18, 1], [0, 0, 1, 0, 1, 0, -1, 0, 0]], [[.14, .64, .24, 1], [1, 0, 0, 0, 0, 1, 0, -1, 0]],
  [[.15, .38, .95, 1], [1, 0, 0, 0, 1, 0, 0, 0, 1]]];

const isSeen = shape => !shape.collision;
const hasShapes = [data.old, data.new].some(robot => robot.links.some(link => link.shapes.some(isSeen)));
const bounds = { size: 1, center: [0, 0, 0], half: [.5, .5, .5], floor: 0 };

// Colors of the pieces of a link, far apart for neighbors: golden angles of a wheel.
const tint = k => [0, 2.1, 4.2].map(shift => .5 + .4 * Math.cos(2.4 * k + shift));
const mixed = (color, other, part) => color.map((value, k) => (k < 3 ? value + part * (other[k] - value) : value));
const at = T => [T[9], T[10], T[11]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// A pose whose Z axis points from one point to another, and their distance.
function towards(from, to) {
  const d = to.map((value, k) => value - from[k]), length = Math.hypot(...d);
  if (length < 1e-9) return { T: null, length: 0 };
  const z = d.map(value => value / length), across = Math.abs(z[2]) < .9 ? [0, 0, 1] : [1, 0, 0];
  const side = cross(across, z), norm = Math.hypot(...side), x = side.map(value => value / norm), y = cross(z, x);
  return { T: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2], ...from], length };
}

// Where the joint that carries a body is drawn: the point of its line next to the frame of the link that it moves.
function placeSeats({ links, joints }) {
  for (const link of links) link.seat = [0, 0, 0];
  for (const { child, axis } of joints) {
    const along = dot(axis, at(links[child].parts[0][1]));
    links[child].seat = axis.map(value => value * along);
  }
}

// How long the frames of each body are drawn: shorter where the next joint is near, so that fingers stay readable.
function frameSizes(robot, T) {
  const near = robot.links.map(() => Infinity), seats = robot.links.map((link, k) => move(T[k], link.seat));
  for (const joint of robot.joints) {
    const apart = Math.hypot(...seats[joint.parent].map((value, k) => value - seats[joint.child][k]));
    if (apart > .004 * bounds.size) for (const k of [joint.parent, joint.child]) near[k] = Math.min(near[k], apart);
  }
  return near.map(apart => bounds.size * Math.min(.055, Math.max(.014, .55 * apart / bounds.size)));
}

function sceneOf(side) {
  const { robot } = side, T = side.poses(), solid = [], clear = [], top = [], show = state.show;
  const put = (item, color) => (color[3] < .99 ? clear : solid).push(item);
  robot.links.forEach((link, k) => {
    const id = side.of(k) + 1, body = link.ellipsoid, pieces = link.shapes.filter(shape => shape.collision);
    if (body && show.has("inertia")) clear.push(["ball", compose(T[k], body.T), body.size, INERTIA, id]);
    for (const shape of link.shapes) {
      if (!show.has(shape.collision ? "collision" : "shapes")) continue;
      let color = colorOf(side, k, shape);
      if (pieces.length > 1 && shape.collision) color = [...tint(pieces.indexOf(shape)), color[3]];
      if (shape.collision && show.has("shapes")) {
        color = [...(pieces.length > 1 ? color : mixed(GREEN, color, .3)).slice(0, 3), .4];
      }
      put([shape.shape, compose(T[k], shape.T), shape.size, color, id], color);
    }
    if (show.has("frames")) {
      const long = side.frames[k] * (state.selected === id - 1 ? 1.9 : 1);
      for (const [, T_body_part] of link.parts) for (const [color, turn] of FRAME) {
        const T_arrow = compose(compose(T[k], T_body_part), [...turn, 0, 0, 0]);
        top.push(["arrow", T_arrow, [long, long, long], color, id]);
      }
    }
  });
  solid.push(...(show.has("shapes") ? standIns(side, T) : []));
  robot.joints.forEach((joint, k) => {
    const id = side.of(joint.child) + 1, to = move(T[joint.child], robot.links[joint.child].seat);
    if (show.has("bones") || !hasShapes && show.has("shapes")) {
      const bone = towards(move(T[joint.parent], robot.links[joint.parent].seat), to);
      const wide = Math.min(.15 * bounds.size, .8 * bone.length);
      if (bone.T) solid.push(["bone", bone.T, [wide, wide, bone.length], mixed(GOLD, GRAY, .45), id]);
    }
    const color = axisColor(side, joint, k);
    if (color && show.has("axes") && (MOVES.has(joint.type) || joint.type === "planar")) {
      const long = 1.5 * side.frames[joint.child];
      const axis = towards(to, to.map((value, k) => value + rotate(T[joint.child], joint.axis)[k]));
      if (axis.T) top.push(["axis", axis.T, [long, long, long], [...color.slice(0, 3), 1], id]);
    }
  });
  return { solid, clear, top };
}

// The box around the robot as it is now, for the camera, the floor and the size of frames.
function measure(cornersOf) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const see = (T, corners) => {
    for (let corner = 0; corner < 8; corner++) {
      const point = move(T, [0, 1, 2].map(k => corners[corner >> k & 1][k]));
      for (const k of [0, 1, 2]) [low[k], high[k]] = [Math.min(low[k], point[k]), Math.max(high[k], point[k])];
    }
  };
  for (const { robot, poses } of measured) robot.links.forEach((link, k) => {
    const T = poses()[k], body = link.ellipsoid, seen = link.shapes.filter(isSeen);
    see(T, [[0, 0, 0], [0, 0, 0]]);
    for (const shape of seen) {
      see(compose(T, shape.T), cornersOf(shape.shape).map(corner => corner.map((value, a) => value * shape.size[a])));
    }
    if (link.missing) see(compose(T, body.T), [-.5, .5].map(part => body.size.map(value => part * value)));
  });
  bounds.size = Math.max(...high.map((value, k) => value - low[k]), 1e-3);
  bounds.center = low.map((value, k) => (value + high[k]) / 2);
  bounds.half = low.map((value, k) => (high[k] - value) / 2);
  bounds.floor = low[2];
}
