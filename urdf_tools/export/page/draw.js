// ---- draw: WebGL2 by hand. Each shape is one buffer; all that use it are drawn at once, as instances.

const canvas = document.getElementById("canvas");
const gl = canvas.getContext("webgl2", {
  antialias: !/\baa=0\b/.test(location.hash), alpha: true, stencil: true, powerPreference: "high-performance" });
const FLOATS = 17; // of an instance: three rows of its matrix, color, id
const NEAR_PLANE = .02, ZOOM = 1 / Math.tan(.3);

const SHAPE_VERTEX = `
layout(location=0) in vec3 position;
layout(location=1) in vec4 row0;
layout(location=2) in vec4 row1;
layout(location=3) in vec4 row2;
layout(location=4) in vec4 tint;
layout(location=5) in float number;
layout(location=6) in vec3 normal; // zero where the triangles are flat
uniform mat4 clip;
uniform vec4 shadow; // the direction of the light, and the height of the floor
uniform int mode;
out vec3 place;
out vec3 bent;
flat out vec4 color;
flat out float id;
void main() {
  vec4 p = vec4(position, 1.);
  place = vec3(dot(row0, p), dot(row1, p), dot(row2, p));
  // Normals go with the inverse transpose, and the matrix is a rotation times a scaling.
  vec3 n = normal / (row0.xyz * row0.xyz + row1.xyz * row1.xyz + row2.xyz * row2.xyz);
  bent = vec3(dot(row0.xyz, n), dot(row1.xyz, n), dot(row2.xyz, n));
  if (mode == 3) place = vec3(place.xy - shadow.xy / shadow.z * (place.z - shadow.w), shadow.w);
  color = tint;
  id = number;
  gl_Position = clip * vec4(place, 1.);
}`;
const SHAPE_FRAGMENT = `
in vec3 place;
in vec3 bent;
flat in vec4 color;
flat in float id;
uniform vec3 eye;
uniform int mode; // 0: lit, 1: id as color, 2: distance from the eye as the bits of its float, 3: shadow
out vec4 seen;
vec4 bytes(uint bits) { return vec4(bits & 255u, bits >> 8 & 255u, bits >> 16 & 255u, bits >> 24) / 255.; }
void main() {
  if (mode == 1) { seen = bytes(uint(id + .5)); return; }
  if (mode == 2) { seen = bytes(floatBitsToUint(distance(eye, place))); return; }
  if (mode == 3) { seen = vec4(0., 0., 0., .13); return; }
  vec3 to_eye = normalize(eye - place);
  vec3 n = dot(bent, bent) > 0. ? normalize(bent) : normalize(cross(dFdx(place), dFdy(place)));
  if (dot(n, to_eye) < 0.) n = -n; // whichever way the triangle was wound
  vec3 light = normalize(vec3(.5, -.4, 1.) + .55 * to_eye);
  float facing = max(dot(n, light), 0.), sky = .5 + .5 * n.z, rim = pow(1. - max(dot(n, to_eye), 0.), 3.);
  float shine = pow(max(dot(n, normalize(light + to_eye)), 0.), 48.);
  vec3 c = pow(color.rgb, vec3(2.2));
  c = c * (mix(vec3(.17, .16, .16), vec3(.44, .47, .52), sky) + facing * vec3(.66, .64, .61)) + .07 * rim + .14 * shine;
  seen = vec4(pow(c, vec3(1. / 2.2)), 1.) * color.a;
}`;
const GRID_VERTEX = `
uniform mat4 clip;
uniform vec4 floor_; // center, height, half an edge
out vec2 spot;
void main() {
  spot = vec2(gl_VertexID == 1 || gl_VertexID == 2 || gl_VertexID == 4 ? 1. : -1.,
              gl_VertexID == 2 || gl_VertexID > 3 ? 1. : -1.) * floor_.w + floor_.xy;
  gl_Position = clip * vec4(spot, floor_.z, 1.);
}`;
const GRID_FRAGMENT = `
in vec2 spot;
uniform vec4 floor_;
uniform float cell, ink;
out vec4 seen;
float lines(float edge) {
  vec2 at = spot / edge, wide = fwidth(at), off = abs(fract(at - .5) - .5) / wide;
  return (1. - min(min(off.x, off.y), 1.)) * clamp(.6 / max(wide.x, wide.y), 0., 1.);
}
void main() {
  float fade = clamp(1. - distance(spot, floor_.xy) / floor_.w, 0., 1.);
  float a = max(lines(cell) * .16, lines(cell * 10.) * .38) * fade;
  seen = vec4(vec3(ink * a), a);
}`;

function program(vertex, fragment) {
  const made = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${text}`);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) {
    throw new Error(gl.getAttachedShaders(made).map(shader => gl.getShaderInfoLog(shader)).join() + gl.getProgramInfoLog(made));
  }
  const at_ = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(made, k);
    at_[name] = gl.getUniformLocation(made, name);
  }
  return { made, at: at_ };
}

const buffers = new Map(); // by number of a mesh, or name of a body of size 1
let shapeProgram, gridProgram, instances, packed = new Float32Array(FLOATS * 1024);

function addShape(name, points, corners, normals = null, low = [0, 0, 0], step = 1) {
  const arrays = gl.createVertexArray();
  const attribute = (place, values, type, bytes) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, type, false, bytes, 0);
  };
  gl.bindVertexArray(arrays);
  attribute(0, points, points instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.FLOAT, 3 * points.BYTES_PER_ELEMENT);
  if (normals) attribute(6, normals, gl.FLOAT, 12);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
  for (let place = 1; place < 6; place++) {
    gl.enableVertexAttribArray(place);
    gl.vertexAttribDivisor(place, 1);
  }
  const type = corners instanceof Uint32Array ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
  buffers.set(name, { arrays, count: corners.length, type, low, step });
}

// A body turned about Z from a profile of [radius, height, normal outwards, normal up].
function addTurned(name, profile, around) {
  const points = [], normals = [], corners = [], n = profile.length;
  for (let side = 0; side <= around; side++) {
    const angle = 2 * Math.PI * side / around, c = Math.cos(angle), s = Math.sin(angle);
    for (const [radius, height, out, up] of profile) {
      points.push(radius * c, radius * s, height);
      normals.push(out * c, out * s, up);
    }
  }
  for (let side = 0; side < around; side++) {
    for (let k = 0; k + 1 < n; k++) {
      const a = side * n + k, b = a + n;
      corners.push(a, b, b + 1, a, b + 1, a + 1);
    }
  }
  addShape(name, new Float32Array(points), new Uint16Array(corners), new Float32Array(normals));
}

function addBodies() {
  const corner = [...Array(8).keys()].map(k => [(k & 1) - .5, (k >> 1 & 1) - .5, (k >> 2) - .5]);
  addShape("box", new Float32Array(corner.flat()), new Uint16Array([
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]));
  addTurned("cylinder", [[0, -.5, 0, -1], [.5, -.5, 0, -1], [.5, -.5, 1, 0], [.5, .5, 1, 0], [.5, .5, 0, 1], [0, .5, 0, 1]], 64);
  addTurned("ball", [...Array(25).keys()].map(k => {
    const out = Math.sin(Math.PI * k / 24), up = -Math.cos(Math.PI * k / 24);
    return [.5 * out, .5 * up, out, up];
  }), 48);
  addTurned("arrow", [[.03, 0, 1, 0], [.03, .76, 1, 0], [.08, .76, .9, .3], [0, 1, .9, .3]], 16);
  addTurned("axis", [[0, -.62, 0, -1], [.014, -.6, 1, 0], [.014, .84, 1, 0], [.052, .84, .9, .3], [0, 1, .9, .3]], 16);
  addTurned("bone", [[0, 0, 1, -.5], [.1, .12, 1, -.5], [.1, .12, 1, .1], [0, 1, 1, .1]], 4);
}

function addMeshes() {
  const holder = document.getElementById("mesh-data"), text = holder.textContent.trim();
  holder.remove();
  let bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), c => c.charCodeAt(0));
  if (bytes.byteOffset % 4) bytes = bytes.slice();
  data.meshes.forEach(({ points, corners, count, wide, low, step }, number) => {
    const start = bytes.byteOffset, Corners = wide ? Uint32Array : Uint16Array;
    addShape(number, new Uint16Array(bytes.buffer, start + points, (corners - points) >> 1),
      new Corners(bytes.buffer, start + corners, count), null, low, step);
  });
}

function cornersOf(name) {
  return typeof name === "number" ? [data.meshes[name].low, data.meshes[name].high] : [[-.5, -.5, -.5], [.5, .5, .5]];
}

// Draw a list. There is no first instance in WebGL2: the attributes are pointed at each group anew.
function paint(list) {
  if (!list.length) return;
  const order = new Map();
  for (const item of list) (order.get(item[0]) || order.set(item[0], []).get(item[0])).push(item);
  if (packed.length < FLOATS * list.length) packed = new Float32Array(2 * FLOATS * list.length);
  let start = 0;
  for (const [name, items] of order) {
    const { low, step } = buffers.get(name);
    for (const [, T, size, color, id] of items) {
      for (let row = 0; row < 3; row++) {
        const r = 3 * row, [a, b, c] = [T[r] * size[0], T[r + 1] * size[1], T[r + 2] * size[2]];
        packed.set([a * step, b * step, c * step, a * low[0] + b * low[1] + c * low[2] + T[9 + row]], start + 4 * row);
      }
      packed.set(color, start + 12);
      packed[start + 16] = id;
      start += FLOATS;
    }
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, instances);
  gl.bufferData(gl.ARRAY_BUFFER, packed.subarray(0, start), gl.STREAM_DRAW);
  start = 0;
  for (const [name, items] of order) {
    const { arrays, count, type } = buffers.get(name);
    gl.bindVertexArray(arrays);
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    for (let k = 0; k < 4; k++) gl.vertexAttribPointer(1 + k, 4, gl.FLOAT, false, 4 * FLOATS, start + 16 * k);
    gl.vertexAttribPointer(5, 1, gl.FLOAT, false, 4 * FLOATS, start + 64);
    gl.drawElementsInstanced(gl.TRIANGLES, count, type, 0, items.length);
    start += 4 * FLOATS * items.length;
  }
}

function cameraFor(width, height) {
  const [azimuth, elevation, distance, ...target] = state.camera, c = Math.cos(elevation);
  const back = [Math.cos(azimuth) * c, Math.sin(azimuth) * c, Math.sin(elevation)];
  const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
  const up = [-Math.cos(azimuth) * Math.sin(elevation), -Math.sin(azimuth) * Math.sin(elevation), c];
  const eye = target.map((value, k) => value + distance * back[k]);
  const near = distance * NEAR_PLANE, far = distance * 12 + 8 * bounds.size;
  const rows = [right, up, back].map(axis => [...axis, -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2])]);
  const clip = [];
  for (let k = 0; k < 4; k++) {
    clip.push(ZOOM * height / width * rows[0][k], ZOOM * rows[1][k],
      (far + near) / (near - far) * rows[2][k] + (k === 3 ? 2 * far * near / (near - far) : 0), -rows[2][k]);
  }
  return { eye, clip, right, up, back };
}

// The parts of the canvas, [side, x, y, width, height] in its pixels from below.
function views() {
  const w = canvas.width, h = canvas.height, half = x => Math.round(x / 2);
  if (state.view !== "both") return [[{ before: sides.old, after: sides.new, overlay: null }[state.view], 0, 0, w, h]];
  return w >= .9 * h ? [[sides.old, 0, 0, half(w), h], [sides.new, half(w), 0, w - half(w), h]]
    : [[sides.old, 0, half(h), w, h - half(h)], [sides.new, 0, 0, w, half(h)]];
}

function listsOf(side) {
  if (side) return sceneOf(side);
  const lists = sceneOf(sides.new), before = sceneOf(sides.old, .4);
  const removed = before.solid.filter(item => item[3][0] === RED[0] && item[3][1] === RED[1]);
  return { solid: [...lists.solid, ...removed], clear: lists.clear, top: [...before.top, ...lists.top] };
}

let asked = 0, coarse = 1, lastFrame = 0, sharpen = 0;
function ask() { asked = asked || requestAnimationFrame(draw); }

function resize() {
  const scale = Math.min(devicePixelRatio || 1, 2) / coarse;
  const w = Math.max(1, Math.round(canvas.clientWidth * scale)), h = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width === w && canvas.height === h) return false;
  [canvas.width, canvas.height] = [w, h];
  return true;
}

// Where frames take long, as without a GPU, half the resolution serves while something moves.
function watchSpeed() {
  const time = performance.now(), took = time - lastFrame;
  lastFrame = time;
  if (took > 80 && took < 600 && coarse === 1) coarse = 2;
  clearTimeout(sharpen);
  if (coarse > 1) sharpen = setTimeout(() => { coarse = 1; lastFrame = 0; ask(); }, 700);
}

function draw() {
  asked = 0;
  if (!gl || gl.isContextLost()) return;
  watchSpeed();
  resize();
  const { size, center, floor } = bounds, dark = isDark();
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.disable(gl.SCISSOR_TEST);
  gl.depthMask(true);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.SCISSOR_TEST);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  for (const [side, x, y, width, height] of views()) {
    const { eye, clip } = cameraFor(width, height), { solid, clear, top } = listsOf(side);
    const lit = mode => {
      gl.useProgram(shapeProgram.made);
      gl.uniformMatrix4fv(shapeProgram.at.clip, false, clip);
      gl.uniform3fv(shapeProgram.at.eye, eye);
      gl.uniform4f(shapeProgram.at.shadow, .25, -.2, 1, floor);
      gl.uniform1i(shapeProgram.at.mode, mode);
    };
    gl.viewport(x, y, width, height);
    gl.scissor(x, y, width, height);
    gl.disable(gl.BLEND);
    lit(0);
    paint(solid);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (state.show.has("grid") && eye[2] > floor) {
      if (coarse === 1) { // each pixel of the floor is darkened once
        lit(3);
        gl.enable(gl.STENCIL_TEST);
        gl.stencilFunc(gl.EQUAL, 0, 255);
        gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
        paint(solid);
        gl.disable(gl.STENCIL_TEST);
      }
      gl.useProgram(gridProgram.made);
      gl.uniformMatrix4fv(gridProgram.at.clip, false, clip);
      gl.uniform4f(gridProgram.at.floor_, center[0], center[1], floor, size * 3.2);
      gl.uniform1f(gridProgram.at.cell, 10 ** Math.round(Math.log10(size / 12)));
      gl.uniform1f(gridProgram.at.ink, dark ? .8 : .2);
      gl.bindVertexArray(null);
      gl.drawArrays(gl.TRIANGLES, 0, 6);
    }
    lit(0);
    paint(clear);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT); // frames and axes are on top of all, and still hide each other
    paint(top);
  }
  showCaptions();
}

function startDrawing() {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  page.dataset.renderer = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  shapeProgram = program(SHAPE_VERTEX, SHAPE_FRAGMENT);
  gridProgram = program(GRID_VERTEX, GRID_FRAGMENT);
  instances = gl.createBuffer();
  addBodies();
  addMeshes();
}
