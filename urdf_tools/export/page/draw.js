// ---- draw: WebGL2 by hand. Each shape is one buffer; all that use it are drawn at once, as instances.

const canvas = document.getElementById("canvas");
const gl = canvas.getContext("webgl2", {
  antialias: !/\baa=0\b/.test(location.hash), alpha: true, stencil: true, powerPreference: "high-performance" });
const FLOATS = 17; // of an instance: three rows of its matrix, color, id
const ZOOM = 1 / Math.tan(.3);


// Two programs, `shape` and `grid`, out of the parts of shaders.glsl.
function program(name) {
  const made = gl.createProgram(), text = document.getElementById("shaders").textContent;
  for (const [type, part] of [[gl.VERTEX_SHADER, "vertex"], [gl.FRAGMENT_SHADER, "fragment"]]) {
    const shader = gl.createShader(type), source = text.split(`//// ${name} ${part}\n`)[1].split("////")[0];
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp int;\n${source}`);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const complaints = () => gl.getAttachedShaders(made).map(shader => gl.getShaderInfoLog(shader)).join();
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(complaints() + gl.getProgramInfoLog(made));
  const places = {};
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(made, k);
    places[name] = gl.getUniformLocation(made, name);
  }
  return { made, at: places };
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
  for (let place = 1; place < 6; place++) [gl.enableVertexAttribArray(place), gl.vertexAttribDivisor(place, 1)];
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
  for (let a = 0; a < around * n; a++) if ((a + 1) % n) corners.push(a, a + n, a + n + 1, a, a + n + 1, a + 1);
  addShape(name, new Float32Array(points), new Uint16Array(corners), new Float32Array(normals));
}

function addBodies() {
  const corner = [...Array(8).keys()].map(k => [(k & 1) - .5, (k >> 1 & 1) - .5, (k >> 2) - .5]);
  addShape("box", new Float32Array(corner.flat()), new Uint16Array([
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]));
  const lid = side => [[0, side / 2, 0, side], [.5, side / 2, 0, side], [.5, side / 2, 1, 0]];
  addTurned("cylinder", [...lid(-1), ...lid(1).reverse()], 64);
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
  const near = distance * .02, far = distance * 12 + 8 * bounds.size;
  const rows = [right, up, back].map(axis => [...axis, -dot(axis, eye)]);
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
  if (state.view !== "both") return [[measured.find(side => side.view === state.view) || null, 0, 0, w, h]];
  return w >= .9 * h ? [[measured[0], 0, 0, half(w), h], [measured[1], half(w), 0, w - half(w), h]]
    : [[measured[0], 0, half(h), w, h - half(h)], [measured[1], 0, 0, w, half(h)]];
}

function listsOf(side) {
  return { ghost: [], ...(side ? sceneOf(side) : overlay()) };
}

// A robot laid over the other: only its nearest surface is seen, and where both have the same surface, not at all.
function paintGhost(list) {
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(1, 4);
  gl.depthMask(true);
  gl.colorMask(false, false, false, false);
  paint(list);
  gl.colorMask(true, true, true, true);
  gl.depthFunc(gl.LEQUAL);
  paint(list);
  gl.depthFunc(gl.LESS);
  gl.depthMask(false);
  gl.disable(gl.POLYGON_OFFSET_FILL);
}

let asked = 0, coarse = 1, lastFrame = 0, sharpen = 0, fittedFor = "";
function ask() { asked = asked || requestAnimationFrame(draw); }
function resize() {
  const scale = Math.min(devicePixelRatio || 1, 2) / coarse;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight].map(length => Math.max(1, Math.round(length * scale)));
  if (canvas.width === w && canvas.height === h) return false;
  [canvas.width, canvas.height] = [w, h];
  // Fitted here, as a frame may be drawn before the observer hears of a new size; by the size on the screen, as the
  // coarse frames of Play leave the camera where it is. A page that is not shown has no size.
  const size = `${canvas.clientWidth}x${canvas.clientHeight}`;
  if (size !== fittedFor && state.fitted && canvas.clientWidth && state.camera) fit();
  fittedFor = size;
  return true;
}

// Where frames take long, as without a GPU, half the resolution serves while something moves.
function watchSpeed() {
  const took = performance.now() - lastFrame;
  lastFrame += took;
  if (took > 80 && took < 600 && coarse === 1) coarse = 2;
  clearTimeout(sharpen);
  if (coarse > 1) sharpen = setTimeout(() => { coarse = 1; lastFrame = 0; ask(); }, 700);
}

function startFrame(frame) {
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  for (const off of [gl.SCISSOR_TEST, gl.BLEND]) gl.disable(off);
  gl.enable(gl.DEPTH_TEST);
  gl.depthMask(true);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
}

function useShapes(mode, clip, eye) {
  gl.useProgram(shapeProgram.made);
  gl.uniformMatrix4fv(shapeProgram.at.clip, false, clip);
  gl.uniform3fv(shapeProgram.at.eye, eye);
  gl.uniform4f(shapeProgram.at.shadow, .25, -.2, 1, bounds.floor);
  gl.uniform1i(shapeProgram.at.mode, mode);
}

function draw() {
  asked = 0;
  if (!gl || gl.isContextLost()) return;
  watchSpeed();
  resize();
  const { size, center, floor } = bounds;
  startFrame(null);
  gl.enable(gl.SCISSOR_TEST);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  for (const [side, x, y, width, height] of views()) {
    const { eye, clip } = cameraFor(width, height), { solid, ghost, clear, top } = listsOf(side);
    gl.viewport(x, y, width, height);
    gl.scissor(x, y, width, height);
    gl.disable(gl.BLEND);
    useShapes(0, clip, eye);
    paint(solid);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    if (state.show.has("grid") && eye[2] > floor) {
      if (coarse === 1) { // each pixel of the floor is darkened once
        useShapes(3, clip, eye);
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
      gl.uniform1f(gridProgram.at.ink, isDark() ? .8 : .2);
      gl.bindVertexArray(null);
      gl.drawArrays(gl.TRIANGLES, 0, 6);
    }
    useShapes(0, clip, eye);
    if (ghost.length) paintGhost(ghost);
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
  shapeProgram = program("shape");
  gridProgram = program("grid");
  instances = gl.createBuffer();
  addBodies();
  addMeshes();
}
