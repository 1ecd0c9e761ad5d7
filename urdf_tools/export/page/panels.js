// ---- panels: state in the address, the lists and sliders around the view, keys; and the start of it all

const jointRows = new Map(all("#joints li[data-joint]").map(row => [+row.dataset.joint, row]));
const followers = new Set(data.new.followers.map(([follower]) => follower));

function isDark() {
  const chosen = page.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const make = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });

// Of equal names the first joint that moves is meant, as everywhere in this tool.
const jointNamed = name => data.new.joints.findIndex(joint => joint.name === name && MOVES.has(joint.type));

function readAddress() {
  const told = new URLSearchParams(location.hash.slice(1));
  const decoded = text => { try { return decodeURIComponent(text); } catch { return text; } };
  state.free = new Map();
  for (const item of (told.get("q") || "").split(",").filter(Boolean)) {
    const [name, value] = item.split(":"), joint = jointNamed(decoded(name));
    if (joint >= 0 && value && Number.isFinite(+value)) state.free.set(joint, +value);
  }
  if (VIEWS.includes(told.get("view"))) state.view = told.get("view");
  if (told.has("show")) state.show = new Set(told.get("show").split(",").filter(Boolean));
  if (told.has("sel")) state.selected = numberOf.has(told.get("sel")) ? numberOf.get(told.get("sel")) : -1;
  state.chosen = told.has("row") && rows[told.get("row")] ? +told.get("row") : -1;
  const camera = (told.get("cam") || "").split(",").map(word => (word === "" ? NaN : +word));
  if (camera.length === 6 && camera.every(Number.isFinite)) [state.camera, state.fitted] = [camera, false];
  if (["dark", "light"].includes(told.get("theme"))) page.dataset.theme = told.get("theme");
  state.degrees = told.get("unit") === "deg";
  state.dump = told.has("dump");
  page.toggleAttribute("data-embedded", told.has("embedded"));
}

let writing = 0;
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(keepState, 250);
}

function keepState() {
  const parts = /\baa=0\b/.test(location.hash) ? ["aa=0"] : [];
  if (state.dump) parts.push("dump");
  if (page.hasAttribute("data-embedded")) parts.push("embedded");
  // Twice, because the address is decoded once as a whole, and `,` and `:` part what is in it.
  const coded = joint => encodeURIComponent(encodeURIComponent(data.new.joints[joint].name));
  const q = [...state.free].filter(([, value]) => value).map(([k, value]) => `${coded(k)}:${+value.toFixed(5)}`);
  if (q.length) parts.push(`q=${q}`);
  parts.push(`view=${state.view}`, `show=${[...state.show]}`);
  if (state.selected >= 0) parts.push(`sel=${encodeURIComponent(thing(state.selected).name)}`);
  if (state.chosen >= 0) parts.push(`row=${state.chosen}`);
  if (page.dataset.theme) parts.push(`theme=${page.dataset.theme}`);
  if (state.degrees) parts.push("unit=deg");
  if (!state.fitted) parts.push(`cam=${state.camera.map(value => +value.toFixed(4))}`);
  try { history.replaceState(null, "", `#${parts.join("&")}`); } catch { /* some viewers forbid it */ }
}

function changed() { writeAddress(); ask(); }
function zero() { state.free = new Map(); moved(); }

function setJoint(joint, value) {
  const [low, high] = data.new.joints[joint].range;
  state.free.set(joint, state.limits ? Math.max(low, Math.min(high, value)) : value);
  moved();
}

function moved() {
  now = solve(data, state.free);
  showDistance();
  showJoints();
  const poses = () => ({ new: posesByName(data.new, now.T_new), old: posesByName(data.old, now.T_old), far: now.far });
  if (state.dump) find("#poses").textContent = JSON.stringify(poses());
  changed();
}

function shown(value, joint) {
  const turns = TURNS.has(data.new.joints[joint].type), degrees = turns && state.degrees;
  const text = degrees ? (value * 180 / Math.PI).toFixed(1) : value.toFixed(3);
  return { text: text.replace("-", +text ? "−" : ""), unit: degrees ? "°" : turns ? " rad" : " m" };
}

function showJoints() {
  for (const [joint, row] of jointRows) {
    const value = now.q_new[joint], { text, unit } = shown(value, joint), slider = find("input", row);
    const [said, spoken] = positionText(joint, value, `${text}${unit}`);
    if (+slider.value !== value) slider.value = value;
    find(".value", row).textContent = said;
    slider.setAttribute("aria-valuetext", spoken || said);
  }
}

function showRanges() {
  for (const [joint, row] of jointRows) {
    const slider = find("input", row), [low, high] = data.new.joints[joint].range;
    const free = data.new.joints[joint].type === "prismatic" ? bounds.size : Math.PI;
    slider.min = state.limits ? low : Math.min(low, -free);
    slider.max = state.limits ? high : Math.max(high, free);
  }
  showJoints();
}

function showButtons() {
  for (const button of all("[data-view]")) button.setAttribute("aria-pressed", state.view === button.dataset.view);
  for (const button of all("[data-show]")) button.setAttribute("aria-pressed", state.show.has(button.dataset.show));
  find("#free").setAttribute("aria-pressed", !state.limits);
  find("#unit").setAttribute("aria-pressed", state.degrees);
}

let captioned = "";
function showCaptions() {
  const parts = views(), scale = canvas.width / canvas.clientWidth;
  const texts = parts.map(([side]) => captionOf(side)), key = JSON.stringify([parts.map(part => part.slice(1)), texts, coarse]);
  if (key === captioned) return;
  captioned = key;
  find("#captions").replaceChildren(...parts.map(([, x, y, width, height], k) => {
    const caption = make("div", "", "caption"), { title, more, legend } = texts[k];
    caption.append(make("b", title), make("span", more));
    for (const [word, color] of legend) {
      const dot = make("i", "");
      dot.style.background = `rgb(${color.slice(0, 3).map(value => Math.round(255 * value))})`;
      const label = make("span", word);
      label.prepend(dot);
      caption.append(label);
    }
    const box = make("div", "", "part"), [left, bottom, wide, tall] = [x, y, width, height].map(one => `${one / scale}px`);
    Object.assign(box.style, { left, bottom, width: wide, height: tall });
    box.append(caption);
    return box;
  }));
}

function hover(event) {
  const link = event && gl ? pick(event.offsetX, event.offsetY).link : -1, tip = find("#tip");
  tip.hidden = link < 0;
  if (link >= 0) {
    tip.replaceChildren(make("b", thing(link).name), ...tipLines(link).map(line => make("span", line)));
    const x = event.offsetX, top = `${canvas.offsetTop + event.offsetY + 14}px`, wide = canvas.clientWidth, right = x > wide / 2;
    Object.assign(tip.style, { top, left: right ? "" : `${x + 14}px`, right: right ? `${wide - x + 8}px` : "" });
  }
  highlight(link);
}

function highlight(link) {
  if (link !== state.hovered) [state.hovered, asked] = [link, asked || requestAnimationFrame(draw)];
}

function select(link, scroll = true) {
  [state.selected, state.chosen] = [link, -1];
  for (const row of all("[aria-current]")) row.removeAttribute("aria-current");
  if (link >= 0) {
    const joint = jointRows.get(thing(link).driver);
    for (const one of [...rowsOf(link), joint].filter(Boolean).reverse()) {
      one.setAttribute("aria-current", "true");
      if (scroll || one === joint) one.scrollIntoView({ block: "nearest" });
    }
  }
  changed();
}

function setView(view) {
  state.view = view;
  showButtons();
  if (state.fitted) fit();
  changed();
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of all("#tree li, #joints li")) {
    row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
  }
}

function copyPose() {
  const vector = ({ robot, positions }) => Object.fromEntries(robot.joints.map((joint, k) => [joint, positions()[k]])
    .filter(([joint]) => MOVES.has(joint.type)).map(([joint, at]) => [joint.name, at]));
  const both = () => Object.fromEntries(Object.values(sides).map(side => [side.view, vector(side)]));
  const text = JSON.stringify(alone ? vector(sides.new) : both(), null, 1);
  Object.assign(find("#pose"), { hidden: false, value: text }).select();
  if (navigator.clipboard) navigator.clipboard.writeText(text).catch(() => { /* it is selected: Ctrl-C serves */ });
}

let playing = 0;
function play() {
  playing = playing ? 0 : performance.now();
  find("#play").textContent = playing ? "Stop" : "Play";
  find("#live").setAttribute("aria-live", playing ? "off" : "polite");
  const step = time => {
    if (!playing) return;
    for (const joint of jointRows.keys()) {
      if (followers.has(joint)) continue;
      const [low, high] = data.new.joints[joint].range, wave = .28 - .28 * Math.cos((time - playing) / 1100);
      const start = Math.max(low, Math.min(high, 0)), end = high - start > start - low ? high : low;
      state.free.set(joint, start + wave * (end - start));
    }
    moved();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

const CAMERAS = { fit: () => fit(), front: () => look(0, 0), left: () => look(Math.PI / 2, 0), top: () => look(0, 1.57) };
const KEYS = {
  ArrowLeft: () => orbit(-.1, 0), ArrowRight: () => orbit(.1, 0), ArrowUp: () => orbit(0, .1),
  ArrowDown: () => orbit(0, -.1), "+": () => zoom(1 / 1.1), "-": () => zoom(1.1),
  f: CAMERAS.fit, 1: CAMERAS.front, 3: CAMERAS.left, 7: CAMERAS.top,
  b: () => setView(VIEWS[(VIEWS.indexOf(state.view) + 1) % VIEWS.length]), 0: zero, Escape: () => select(-1),
  "/": () => find("#find").focus() };

function listenToPanels() {
  const click = (selector, act) => all(selector).forEach(button => button.addEventListener("click", () => act(button)));
  const lightUp = (row, link) => {
    row.addEventListener("pointerenter", () => highlight(link));
    row.addEventListener("pointerleave", () => highlight(-1));
  };
  for (const [joint, row] of jointRows) {
    const slider = find("input", row);
    slider.disabled = followers.has(joint);
    slider.addEventListener("input", () => setJoint(joint, +slider.value));
    row.addEventListener("dblclick", () => setJoint(joint, 0));
    lightUp(row, sides.new.of(data.new.joints[joint].child));
  }
  for (const row of rows) lightUp(row, thingOf(row));
  click("#tree button", choose);
  click("[data-view]", button => setView(button.dataset.view));
  click("[data-show]", button => {
    const what = button.dataset.show;
    if (!state.show.delete(what)) state.show.add(what);
    showButtons();
    changed();
  });
  click("[data-camera]", button => { CAMERAS[button.dataset.camera](); changed(); });
  click("[data-state]", button => {
    for (const [joint, value] of data.states[+button.dataset.state].positions) state.free.set(joint, value);
    moved();
  });
  click("#zero", zero);
  click("#play", play);
  click("#copy", copyPose);
  click("#free", () => { state.limits = !state.limits; showButtons(); showRanges(); });
  click("#unit", () => { state.degrees = !state.degrees; showButtons(); showJoints(); writeAddress(); });
  click("#theme", () => { page.dataset.theme = isDark() ? "light" : "dark"; changed(); });
  find("#find").addEventListener("input", event => search(event.target.value));
  addEventListener("keydown", event => {
    const typing = event.target.matches("input, textarea"), key = KEYS[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey || typing && event.key !== "Escape") return;
    if (event.key.startsWith("Arrow") && event.target !== canvas || !gl && event.key !== "/") return;
    event.preventDefault();
    if (typing) event.target.blur();
    key();
    changed();
  });
  addEventListener("hashchange", () => { readAddress(); showButtons(); moved(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
}

function start() {
  readAddress();
  now = solve(data, state.free);
  for (const control of all("[data-needs-script]")) control.hidden = false;
  if (gl) {
    startDrawing();
    for (const side of measured) placeSeats(side.robot);
    measure(cornersOf);
    for (const side of measured) side.frames = frameSizes(side.robot, side.poses());
    resize();
    if (!state.camera) fit();
    listenToPointers();
    // At once and not in the next frame: a canvas that changes its size is empty.
    new ResizeObserver(() => { if (resize()) draw(); }).observe(canvas);
  } else {
    find("#without").hidden = false;
    find("#toolbar").hidden = true;
  }
  listenToPanels();
  moved();
  showRanges();
  showButtons();
  if (state.chosen >= 0) choose(rows[state.chosen]);
  else if (state.selected >= 0) select(state.selected);
  draw();
  page.dataset.ready = "1";
}

start();
