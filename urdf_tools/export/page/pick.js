// ---- pick: what is under the pointer, and what dragging it does

let target = null; // one pixel to draw into

function pickFrame() {
  if (target) return target;
  const color = gl.createTexture(), depth = gl.createRenderbuffer();
  target = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, target);
  gl.bindTexture(gl.TEXTURE_2D, color);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, 1, 1);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, color, 0);
  gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
  gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT24, 1, 1);
  gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
  return target;
}

// The view at a point of the canvas (in CSS pixels), and the point in that view from -1 to 1.
function viewAt(px, py) {
  const scale = canvas.width / canvas.clientWidth, x = px * scale, y = canvas.height - py * scale;
  const view = views().find(([, left, below, w, h]) => x >= left && x < left + w && y >= below && y < below + h);
  if (!view) return null;
  const [side, left, below, w, h] = view;
  return { side, w, h, scale, x: 2 * (x - left) / w - 1, y: 2 * (y - below) / h - 1 };
}

// What is there: the number of a thing, or -1; with `exactly` also the point of its surface.
function pick(px, py, exactly = false) {
  const view = viewAt(px, py);
  if (!gl || !view) return { link: -1 };
  const camera = cameraFor(view.w, view.h), { eye, clip } = camera, { solid, ghost, clear } = listsOf(view.side);
  const list = [...solid, ...ghost, ...clear], zoomed = [...clip]; // until this pixel is all of the picture
  for (let k = 0; k < 16; k += 4) {
    zoomed[k] = view.w * (clip[k] - view.x * clip[k + 3]);
    zoomed[k + 1] = view.h * (clip[k + 1] - view.y * clip[k + 3]);
  }
  const read = mode => {
    startFrame(pickFrame());
    gl.viewport(0, 0, 1, 1);
    useShapes(mode, zoomed, eye);
    paint(list);
    const bytes = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    return new DataView(bytes.buffer);
  };
  const link = read(1).getUint32(0, true) - 1;
  if (!exactly || link < 0) return { link };
  const distance = read(2).getFloat32(0, true), tall = 1 / ZOOM, wide = tall * view.w / view.h;
  const ray = camera.right.map((value, k) => wide * view.x * value + tall * view.y * camera.up[k] - camera.back[k]);
  const length = Math.hypot(...ray);
  return { link, view, point: eye.map((value, k) => value + distance * ray[k] / length) };
}

// Takes hold of a point of a link; the function it returns turns the joint so that the point follows the pointer.
function grab(px, py) {
  const { link, view, point } = pick(px, py, true), joint = link < 0 ? undefined : thing(link).driver;
  if (joint === undefined) return null;
  const T = placeOf(link, now), off = point.map((value, k) => value - T[9 + k]);
  const inside = [0, 1, 2].map(k => T[k] * off[0] + T[3 + k] * off[1] + T[6 + k] * off[2]);
  const seenAt = q => { // in CSS pixels from the middle of the view
    const p = [...move(placeOf(link, solve(data, new Map([...state.free, [joint, q]]))), inside), 1];
    const { clip } = cameraFor(view.w, view.h), row = r => p.reduce((sum, value, k) => sum + clip[4 * k + r] * value, 0);
    return [row(0) / row(3) * view.w / 2 / view.scale, row(1) / row(3) * view.h / 2 / view.scale];
  };
  let wanted = seenAt(state.free.get(joint) || 0);
  const step = data.new.joints[joint].type === "prismatic" ? 1e-4 * bounds.size : 1e-4;
  return (dx, dy) => {
    wanted = [wanted[0] + dx, wanted[1] - dy];
    let q = state.free.get(joint) || 0;
    for (let tries = 0; tries < 4; tries++) { // Newton's method on the distance to the pointer
      const seen = seenAt(q), ahead = seenAt(q + step), slope = ahead.map((value, k) => (value - seen[k]) / step);
      const steep = slope[0] ** 2 + slope[1] ** 2;
      if (!(steep > 1e-6)) break;
      const change = (slope[0] * (wanted[0] - seen[0]) + slope[1] * (wanted[1] - seen[1])) / (steep + 25);
      q += Math.max(-.25, Math.min(.25, change));
    }
    setJoint(joint, q);
  };
}

function orbit(turned, raised) {
  [state.fitted, state.camera[0]] = [false, state.camera[0] + turned];
  state.camera[1] = Math.max(-1.57, Math.min(1.57, state.camera[1] + raised));
}

function pan(dx, dy) {
  const { right, up } = cameraFor(1, 1), per = 2 * state.camera[2] / ZOOM / canvas.clientHeight;
  state.fitted = false;
  for (let k = 0; k < 3; k++) state.camera[3 + k] += (-dx * right[k] + dy * up[k]) * per;
}

function zoom(factor) {
  const distance = Math.max(bounds.size * .01, Math.min(bounds.size * 40, state.camera[2] * factor));
  [state.fitted, state.camera[2]] = [false, distance];
}

function look(azimuth, elevation) { [state.camera, state.fitted] = [[azimuth, elevation, 0, 0, 0, 0], true]; fit(); }

// Move the camera, not its direction, so that the whole robot is seen.
function fit() {
  measure(cornersOf);
  const [azimuth, elevation] = state.camera || [.62, .26], [, , , width, height] = views()[0];
  state.camera = [azimuth, elevation, bounds.size, ...bounds.center];
  const { right, up, back } = cameraFor(width, height);
  const tall = height - 96 * canvas.width / canvas.clientWidth; // what the toolbar and the caption leave free
  let distance = bounds.size * .2;
  for (let corner = 0; corner < 8; corner++) {
    const p = bounds.half.map((value, k) => (corner >> k & 1 ? value : -value));
    const across = Math.max(Math.abs(dot(right, p)) / width, Math.abs(dot(up, p)) / Math.max(tall, .3 * height));
    distance = Math.max(distance, dot(back, p) + 1.05 * ZOOM * across * height);
  }
  [state.camera[2], state.fitted] = [distance, true];
  ask();
}

function listenToPointers() {
  const pointers = new Map();
  let travelled = 0, apart = 0, hold = null, hovering = 0;
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
    [travelled, apart, hold] = [0, 0, null];
    const turns = event.button === 0 && !event.shiftKey && !event.altKey && pointers.size === 1;
    // A finger is to turn the view as well, on a screen that the robot fills: it holds only what is selected.
    if (turns && (event.pointerType === "mouse" || pick(event.offsetX, event.offsetY).link === state.selected)) {
      hold = grab(event.offsetX, event.offsetY);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => {
    pointers.delete(event.pointerId);
    if (end === "pointerup" && travelled < 4) select(pick(event.offsetX, event.offsetY).link);
    hold = null;
  });
  canvas.addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (!before) return void (hovering = hovering || requestAnimationFrame(() => { hovering = 0; hover(event); }));
    const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
    travelled += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, event);
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()], wide = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      if (apart) zoom(apart / wide);
      apart = wide;
      pan(dx / 2, dy / 2);
    } else if (hold) hold(travelled < 4 ? 0 : dx, travelled < 4 ? 0 : dy);
    else if (event.buttons & 6 || event.shiftKey) pan(dx, dy);
    else orbit(-dx * .008, dy * .008);
    changed();
  });
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 60) * .002));
    changed();
  }, { passive: false });
  for (const kind of ["contextmenu", "webglcontextlost"]) canvas.addEventListener(kind, event => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => location.reload());
}
