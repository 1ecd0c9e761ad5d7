// The page: takes robots, asks for what is to be done, and shows what comes of it.

import { ofDrop, ofFiles } from "./dropped.js";
import { FOREIGN, formOf, make, valuesOf } from "./form.js";
import { isDark, moveByKeys, Results, sizeText } from "./results.js";
import { terminalText } from "./terminal.js";
import { HOME, Tool } from "./tool.js";

const find = selector => document.querySelector(selector);
const all = selector => [...document.querySelectorAll(selector)];
const MORE = {  // options that the form has not
  simplify: "--axis toe=Y --snap 0", edit: "--adapter signs.py", collision: "--lenient", compare: "--quiet", lint: "--fail-on warning",
  export: "--usd-meshes inline",
};
const WITHOUT_SRDF = ["compare", "lint"];
const QUICK = 4000;  // milliseconds: after a run as short as that a changed option runs at once

const page = document.documentElement, manifest = JSON.parse(find("#manifest").textContent);
const tool = new Tool(manifest, line => { state.line = line; });
const results = new Results(tool, showLines);
const state = {
  about: null, task: "simplify", wanted: "simplify", forms: new Map(), given: { robot: null, other: null }, looked: { robot: null, other: null }, written: [], folder: "",
  line: "", lasted: 0, shown: null, waiting: null, turn: null, jobs: 0, begun: 0, queued: false,
};

// ---- loading

async function load() {
  const total = manifest.parts.reduce((sum, part) => sum + part.size, 0);
  const progress = bytes => {
    find("#loaded").value = 0.9 * bytes / total;
    find("#loading-text").textContent = bytes < total ? `Loading Python: ${sizeText(bytes)} of ${sizeText(total)}, once` : "Starting Python, which takes some seconds";
  };
  try {
    if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly");
    state.about = await tool.load(progress);
  } catch (error) {
    page.dataset.error = find("#loading-text").textContent = `This page cannot start: ${error.message}`;
    return;
  }
  find("#loading").hidden = true;
  for (const place of all("[data-task]")) place.hidden = !state.about.tasks.includes(place.dataset.task);
  buildTasks();
  page.dataset.ready = "1";
  for (const side of ["robot", "other"]) if (state.given[side]) await look(side);
}

function buildTasks() {
  find("#tasks").replaceChildren(...state.about.tasks.map(task => {
    const tab = make("button", { type: "button", textContent: task[0].toUpperCase() + task.slice(1), id: `task-${task}` });
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => choose(task));
    return tab;
  }));
  find("#tasks").addEventListener("keydown", event => moveByKeys(event, find("#tasks")));
  showTask("simplify");
}

// ---- what is dropped

async function take(side, files) {
  if (!files.length) {
    const words = "There is no robot in it: no URDF, xacro, MJCF or SDF, and no ZIP archive.";
    find(side === "other" ? "#other-facts" : state.looked.robot ? "#robot-facts" : "#loading-text").textContent = words;
    if (!state.looked.robot && side === "robot") [find("#loading").hidden, find("#loaded").hidden] = [false, page.dataset.ready === "1"];
    return;
  }
  state.given[side] = files;
  // Nobody waits for the robot before: what takes long is ended.
  if (state.jobs && performance.now() - state.begun > QUICK) await stop();
  if (page.dataset.ready) await look(side);
  else find("#loading-text").textContent = `${files.length === 1 ? files[0].path : `${files.length} files`} will be read as soon as Python is here`;
}

function showStart(shown) {
  [find("#start").hidden, find("#work").hidden] = [!shown, shown];
  page.toggleAttribute("data-work", !shown);
}

async function look(side) {
  await busy(() => `Reading ${state.given[side].length} files`, async () => {
    showStart(false);
    await tool.call("remove", state.folder, state.written);
    state.written = [];
    const found = state.looked[side] = await tool.call("drop", `${HOME}/${side}`, state.given[side]);
    return showRobots(side, found);
  });
  if (side === "robot") settle();
  await run();
}

function showRobots(side, found) {
  const robots = found.robots;
  if (side === "robot") {
    find("#robot").hidden = !robots.length;
    find("#robot").replaceChildren(...robots.map(one => optionOf(one, one.path)));
  }
  showOthers();
  const facts = [`${found.files} file${found.files === 1 ? "" : "s"}, ${sizeText(found.bytes)}`, ...found.refused];
  if (!robots.length) facts.unshift(found.models.length
    ? "Here are meshes and no robot: drop the folder that holds the URDF as well."
    : "There is no robot in it: no URDF, xacro, MJCF or SDF.");
  find(`#${side}-facts`).dataset.facts = facts.join("; ");
  if (side === "robot") {
    find("#srdf").replaceChildren(make("option", { value: "", textContent: "none" }),
      ...found.srdf.map(one => make("option", { value: one.path, textContent: one.path })));
    find("#srdf").value = found.srdf.length === 1 ? found.srdf[0].path : "";
  }
  showPlaced(side);
  return robots.length ? null : ["refused", "No robot was found", facts[0]];
}

const optionOf = (one, value) => make("option", { value, textContent: `${shortPath(one.path)} (${one.format})` });

// A path without the folder that was dropped, which all have.
const shortPath = path => (path.split("/").length > 2 ? path.slice(path.indexOf("/") + 1) : path);

// The other robot may be a file of the other drop, or one beside the first robot.
function showOthers() {
  const { robot, other } = state.looked, select = find("#other"), first = find("#robot").value;
  const beside = robot ? robot.robots.filter(one => one.path !== first).map(one => optionOf(one, `robot/${one.path}`)) : [];
  select.replaceChildren(...(other ? other.robots.map(one => optionOf(one, `other/${one.path}`)) : []), ...beside);
  select.hidden = !select.options.length;
}

// Says which of several robots is open, where results of this tool lie beside it.
function openedText(found, side) {
  const path = find(`#${side}`).value, results = found.robots.filter(one => one.is_result && one.path !== path).length;
  return side === "robot" && results ? `Opened ${shortPath(path)}; ${results} result${results === 1 ? "" : "s"} of this tool beside it; ` : "";
}

function showPlaced(side) {
  const found = state.looked[side], facts = find(`#${side}-facts`);
  if (!found) return;
  const placed = found.placed[find(`#${side}`).value.replace(/^other\//, "")] || [];
  facts.textContent = openedText(found, side) + facts.dataset.facts + (placed.length ? `; ${placed.length} meshes were found by their file names` : "");
  find(`#${side}`).title = find(`#${side}`).value;
  facts.title = placed.map(([reference, path]) => `${reference} is ${path}`).join("\n");
}

// ---- what is to be done

function choose(task) {
  state.wanted = task;
  showTask(task);
  run();
}

const formatOf = () => ((state.looked.robot ? state.looked.robot.robots : []).find(one => one.path === find("#robot").value) || {}).format;

// Of MJCF and SDF most want another format.
function settle() {
  showTask(FOREIGN.has(formatOf()) && ["simplify", "edit", "collision"].includes(state.wanted) ? "export" : state.wanted);
}

// Shows a task, with its form as it was left.
function showTask(task) {
  const before = state.forms.get(state.shownForm), key = task === "export" ? `${task} ${formatOf()}` : task;
  if (before) before.more = find("#more").value;
  if (!state.forms.has(key)) state.forms.set(key, { fields: formOf(state.about.form, task, formatOf()), more: "" });
  const { fields, more } = state.forms.get(key);
  [state.task, state.shownForm] = [task, key];
  for (const tab of find("#tasks").children) {
    tab.setAttribute("aria-selected", tab.id === `task-${task}`);
    tab.tabIndex = tab.id === `task-${task}` ? 0 : -1;
  }
  find("#other-drop").hidden = task !== "compare";
  find("#srdf-row").hidden = WITHOUT_SRDF.includes(task) || !state.looked.robot || !state.looked.robot.srdf.length;
  find("#fields").replaceChildren(...fields);
  Object.assign(find("#more"), { value: more, placeholder: MORE[task] });
}

// What is missing for a run, to be said; null: nothing.
function missing() {
  if (formatOf() === "xacro") {
    const name = find("#robot").value.split("/").pop();
    return ["refused", "This is xacro: expand it first", `xacro ${name} > ${name.replace(/(\.urdf)?\.xacro$/, ".urdf")}, where ROS is installed; then drop what it wrote.`];
  }
  if (state.task === "compare" && !find("#other").value) {
    return ["neutral", "Compare with which robot?", "Drop the other one beside: URDF, MJCF, SDF or JSON, whoever wrote it."];
  }
  if (find("#more").value.trim()) return null;
  if (state.task === "edit" && !Object.values(valuesOf(find("#fields"))).some(Boolean)) {
    return ["neutral", "Edit what?", "Name joints to lock, flip or give a new zero, or links to drop or keep. Everything else stays as it is."];
  }
  if (state.task === "collision" && !find("[data-name=collision]").value && !find("[data-name=collision_link]").value && !find("[data-name=spheres]").checked) {
    return ["neutral", "Which shape?", "Choose one for all links, or others for some. Collision meshes become shapes that contain them; nothing else changes."];
  }
  if (state.task === "export" && !find("#fields [data-kind=file]:checked")) {
    return ["neutral", "Export to which format?", "Choose one or more."];
  }
  return null;
}

function ask(said) {
  find("#command").textContent = "";
  find("#run").classList.remove("stale");
  results.clear(...said);
}

function request() {
  const values = valuesOf(find("#fields")), robot = find("#robot").value, more = find("#more").value;
  if (state.task === "compare") {
    return { folder: HOME, robot: `robot/${robot}`, task: "compare", values: { ...values, compare: find("#other").value }, more };
  }
  return { folder: `${HOME}/robot`, robot, task: state.task, values: { ...values, srdf: find("#srdf").value }, more };
}

async function run() {
  if (state.queued || !find("#robot").value) return;
  if (missing() && !state.jobs) return void ask(missing());
  state.queued = true;
  await busy(() => `Working on ${find("#robot").value}`, async () => {
    state.queued = false;
    if (missing()) {
      ask(missing());
      return results.said;
    }
    const asked = request(), task = state.task, begun = performance.now();
    await tool.call("remove", state.folder, state.written);
    state.written = [];
    const ran = await tool.call("run", asked.folder, asked);
    [state.written, state.folder, state.lasted] = [ran.files.map(([name]) => name), asked.folder, performance.now() - begun];
    state.shown = asked;
    // A line ends between words, and not after the hyphens of an option.
    find("#command").replaceChildren(...ran.command.split(" ").flatMap(word => [" ", make("span", { textContent: word })]).slice(1));
    find("#run").classList.remove("stale");
    const verdict = await results.show(task, ran, asked);
    page.dataset.ran = `${task} ${ran.status}`;
    return verdict;
  });
}

// The lines that change are shown when they are asked for: that is a run of its own.
async function showLines(tab) {
  if (tab !== "lines" || find("#lines").childNodes.length) return;
  await busy(() => "Comparing the lines", async () => {
    const ran = await tool.call("run", state.shown.folder, { ...state.shown, differences: true });
    find("#lines").replaceChildren(terminalText(ran.shown));
  });
}

// ---- while it works

// Does one thing after the other, and says what it is at; then what the work returns, or what was said before.
async function busy(words, work) {
  const before = state.turn;
  let release = null;
  state.turn = new Promise(done => { release = done; });
  state.jobs += 1;
  page.dataset.busy = "1";
  await before;
  const begun = state.begun = performance.now(), verdict = results.said;
  state.line = "";
  const show = () => {
    const seconds = Math.floor((performance.now() - begun) / 1000);
    results.say("busy", words(), [state.line, seconds ? `${seconds} s` : ""].filter(Boolean).join(", "));
  };
  show();
  find("#stop").hidden = false;
  const clock = setInterval(show, 500);
  try {
    const said = await work();
    clearInterval(clock);
    results.say(...(said || verdict));
  } catch (error) {
    clearInterval(clock);
    if (error.message !== "stopped") results.fault(error.message);
  } finally {
    find("#stop").hidden = true;
    state.jobs -= 1;
    if (!state.jobs) delete page.dataset.busy;
    release();
  }
}

async function stop() {
  clearTimeout(state.waiting);
  const starting = tool.stop();
  await busy(() => "Stopped; Python starts again", async () => {
    await starting;
    [state.written, state.folder] = [[], ""];
    for (const side of ["robot", "other"]) if (state.given[side]) await tool.call("drop", `${HOME}/${side}`, state.given[side]);
  });
  results.clear("neutral", "Stopped", "Nothing was written. Change the options, or run it again.");
}

// An option was changed: a short run is repeated at once, a long one when asked for.
function changed() {
  find("#run").classList.add("stale");
  clearTimeout(state.waiting);
  if (state.lasted < QUICK && find("#robot").value) state.waiting = setTimeout(run, 400);
}

// ---- events

for (const input of all("input[type=file]")) {
  input.addEventListener("change", () => {
    const files = ofFiles(input.files);
    input.value = "";  // so that the same file can be chosen again, after it was edited
    take(input.dataset.side, files);
  });
}
if (!("webkitdirectory" in document.createElement("input"))) for (const one of all("[data-folder]")) one.hidden = true;

const sideOf = target => (target.closest && target.closest("[data-side]") || find("#drop")).dataset.side;
addEventListener("dragover", event => { event.preventDefault(); page.dataset.drag = sideOf(event.target); });
addEventListener("dragleave", event => { if (!event.relatedTarget) delete page.dataset.drag; });
addEventListener("drop", async event => {
  event.preventDefault();
  delete page.dataset.drag;
  const side = state.task === "compare" && state.looked.robot && !event.target.closest("[data-side]") ? "other" : sideOf(event.target);
  await take(side, await ofDrop(event.dataTransfer));
});

find("#example").addEventListener("click", async () => {
  while (!tool.parts) await new Promise(done => setTimeout(done, 200));
  take("robot", [{ path: "example.zip", file: new Blob([tool.parts["example.zip"]]) }]);
});
find("#form").addEventListener("submit", event => { event.preventDefault(); clearTimeout(state.waiting); run(); });
find("#form").addEventListener("change", event => { if (event.target.id !== "other" && event.target.type !== "file") changed(); });
find("#robot").addEventListener("change", () => { showPlaced("robot"); showOthers(); settle(); run(); });
find("#other").addEventListener("change", () => { showPlaced("other"); run(); });
find("#srdf").addEventListener("change", run);
find("#stop").addEventListener("click", stop);
find("#home").addEventListener("click", event => {
  event.preventDefault();
  showStart(find("#start").hidden || !state.looked.robot);
});
find("#theme").addEventListener("click", () => {
  page.dataset.theme = isDark() ? "light" : "dark";
  results.showTheme();
});

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => results.showTheme());

load();
