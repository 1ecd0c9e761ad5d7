"use strict";
// ---- poses: where the links of both robots are. Nothing here knows the page, so node can run this part alone.
// A pose is 12 numbers, the rotation by rows and then the translation: doubles, added in the order of
// urdf_tools/urdf/spatial_math.py, so that both come to the same bits.

const NO_MOTION = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

function rotate(T, [x, y, z]) {
  return [T[0] * x + T[1] * y + T[2] * z, T[3] * x + T[4] * y + T[5] * z, T[6] * x + T[7] * y + T[8] * z];
}

function move(T, point) {
  const [x, y, z] = rotate(T, point);
  return [x + T[9], y + T[10], z + T[11]];
}

function compose(A, B) {
  const C = new Array(9);
  for (let row = 0; row < 9; row += 3) {
    for (let k = 0; k < 3; k++) C[row + k] = A[row] * B[k] + A[row + 1] * B[3 + k] + A[row + 2] * B[6 + k];
  }
  return [...C, ...move(A, [B[9], B[10], B[11]])];
}

function turnAbout([x, y, z], angle) {
  const s = Math.sin(angle), c = Math.cos(angle), t = 1 - c;
  return [
    t * x * x + c, t * x * y - s * z, t * x * z + s * y,
    t * x * y + s * z, t * y * y + c, t * y * z - s * x,
    t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0, 0, 0];
}

const TURNS = new Set(["revolute", "continuous"]);
const MOVES = new Set([...TURNS, "prismatic"]);

function posesOf(robot, positions, T_root) {
  const T = new Array(robot.links.length);
  T[robot.root] = T_root;
  robot.joints.forEach((joint, k) => { // parents come before their children
    const T_joint = compose(T[joint.parent], joint.T), [x, y, z] = joint.axis, q = positions[k] - (joint.reference || 0);
    T[joint.child] = TURNS.has(joint.type) ? compose(T_joint, turnAbout(joint.axis, q))
      : joint.type === "prismatic" ? compose(T_joint, [1, 0, 0, 0, 1, 0, 0, 0, 1, q * x, q * y, q * z]) : T_joint;
  });
  return T;
}

// Both robots, when the free joints of the new one are at `free` (a Map from the joint's number to rad or m): the old
// one follows by q_old = sign * q_new + offset, and each of its links has a place in a link of the new one. A joint that
// follows none stays at its offset, if it is locked there, else where its file draws it.
function solve(data, free) {
  const q_new = data.new.joints.map((joint, k) => (MOVES.has(joint.type) && free.get(k)) || 0);
  for (const [follower, leader, multiplier, offset] of data.new.followers) {
    q_new[follower] = multiplier * q_new[leader] + offset;
  }
  const q_old = data.old.joints.map(joint => (joint.by === undefined
    ? joint.offset || joint.reference || 0 : joint.sign * q_new[joint.by] + (joint.offset || 0)));
  const T_new = posesOf(data.new, q_new, NO_MOTION);
  const T_old = posesOf(data.old, q_old, data.base);
  let far = 0, farthest = data.old.root;
  data.old.links.forEach((link, k) => {
    if (link.to === undefined) return;
    const place = compose(T_new[link.to], link.T);
    for (const point of link.points || [[0, 0, 0]]) {
      const is = move(T_old[k], point), was = move(place, point);
      const apart = Math.hypot(is[0] - was[0], is[1] - was[1], is[2] - was[2]);
      if (!(apart <= far)) [far, farthest] = [apart, k];
    }
  });
  return { q_new, q_old, T_new, T_old, far, farthest };
}

function posesByName(robot, T) {
  return Object.fromEntries(robot.links.flatMap(({ name, parts }, k) => (
    parts ? parts.map(([part, T_link_part]) => [part, compose(T[k], T_link_part)]) : [[name, T[k]]])));
}
