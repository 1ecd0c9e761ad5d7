// What came of a run: the verdict, the tabs, the page in its frame, the text of the terminal, the files.

import { findingCards } from "./findings.js";
import { make } from "./form.js";
import { plainText, terminalText } from "./terminal.js";

const find = selector => document.querySelector(selector);
const TABS = { page: "", findings: "", plan: "", lines: "", files: "" };
const KINDS = { compare: ["good", "differs"], lint: ["good", "refused"] };
const TITLES = {
  simplify: { page: "Before and after", plan: "Plan", lines: "Lines", files: "Files" },
  edit: { page: "Before and after", plan: "Plan", lines: "Lines", files: "Files" },
  collision: { page: "Before and after", plan: "Plan", lines: "Lines", files: "Files" },
  export: { files: "Files", plan: "Plan" },
  compare: { page: "Both robots", plan: "Comparison", files: "Files" }, lint: { findings: "Findings", plan: "As text", files: "Files" },
};
const REFUSED = "Refused: nothing was written", FAILED = "The proof failed: a fault of this tool, nothing was written";

export const sizeText = bytes => (bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} KB`);

export const isDark = () => (document.documentElement.dataset.theme
  ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

// What the lines above the question say: of which robot it is proved, how, and what changes.
const PROOF = /^(?:OK |\u2713 )?(.*?): (verified .*? error [^\s;]+|(?:each )?checked .*? rad) (angles .*? none\) )?(.*?)(?: writes .*)?$/;

// Returns kind, title and what else to say of a run.
function verdictOf(task, ran) {
  const text = plainText(ran.shown).trim(), [first, second = ""] = text.split("\n");
  if (ran.status > 1) return [ran.status === 2 ? "refused" : "failed", ran.status === 2 ? REFUSED : FAILED, first];
  if (task === "lint") return verdictOfLint(ran, text);
  const [title, ...more] = first.split(": ");
  if (task === "compare") return [KINDS.compare[ran.status], title, more.join(": ") || second];
  // A robot that lost something has no mark in front of its verdict.
  const lines = /^(?:(?:OK|\u2713) | {3}(?=Same robot, but for)).*(?:\n {3}.*)*/m.exec(text);
  const found = lines && PROOF.exec(lines[0].replace(/\s+/g, " ").trim());
  if (ran.status || !found) return ["neutral", "Nothing was written", text.split("\n").pop()];
  const [, same, how, rounded = "", change] = found, what = change.replace(/->/g, "→"), proved = same.replace("Same", "Proved the same"), isIdle = /^(Nothing to do|The robot stays)/.test(what);
  if (task === "export") return [/^Same robot, but for/.test(same) ? "differs" : "good", `Exported: ${named(ran.files)}`, [`${same}: ${how}`, isIdle ? "" : what].filter(Boolean).join("; ")];
  const unused = /^warning: \[unused-option\] (.*(?:\n {2}(?!cure:).*)*)/m.exec(text);
  if (task === "edit" && (isIdle || unused)) return ["differs", isIdle ? "Nothing was edited" : proved, unused ? unused[1].replace(/\s+/g, " ") : what];
  return ["good", proved, [what, how, rounded.replace(/ \(.*/, "")].filter(Boolean).join("; ")];
}

// The files of an export without their folder, and without the meshes.
const named = files => files.map(([name]) => name).filter(name => !/_meshes\//.test(name)).map(name => name.split("/").pop()).join(", ");

// A file without errors may have warnings, which are no reason for green.
function verdictOfLint(ran, text) {
  const title = (/^(?:OK|Found)\b.*/m.exec(text) || [text.split("\n").pop()])[0];
  return [ran.status === 0 && /\d warning/.test(title) ? "differs" : KINDS.lint[ran.status], title, ""];
}

export class Results {
  constructor(tool, onTab) {
    [this.tool, this.onTab, this.tab, this.frame, this.state, this.addresses, this.said] = [tool, onTab, "plan", null, "", [], ["neutral", "", ""]];
    find("#tabs").addEventListener("keydown", event => moveByKeys(event, find("#tabs")));
    find("#wide").addEventListener("click", () => this.frame && this.frame.requestFullscreen());
  }

  say(kind, title, more = "") {
    this.said = [kind, title, more];
    find("#verdict").className = kind;
    find("#verdict-text").textContent = title;
    find("#verdict-more").textContent = more;
  }

  // What no sentence was made for: its last line, and all of it where the plan would be, to be reported.
  fault(message) {
    this.forget();
    this.say("failed", "A fault of this tool", message.trim().split("\n").pop());
    find("#plan").textContent = `Please report this together with the file.\n\n${message}`;
    this.buildTabs({ plan: "Fault" });
    this.select("plan");
  }

  // Shows what came of a run, and returns its verdict.
  async show(task, ran, { folder, robot }) {
    this.forget();
    const verdict = verdictOf(task, ran), names = { ...TITLES[task] };
    if (!ran.page) delete names.page;
    if (ran.status !== 0) delete names.lines;
    if (!ran.files.length) delete names.files;
    const report = task === "lint" && ran.files.map(([name]) => name).find(name => name.endsWith(".json"));
    if (!report) delete names.findings;
    find("#plan").replaceChildren(terminalText(ran.shown.replace(/\n+$/, "\n")));
    find("#lines").replaceChildren();
    // Another command begins with what it is for, whichever tab of the last one was looked at.
    if (task !== this.task) [this.task, this.chosen] = [task, ""];
    this.buildTabs(names);
    this.state = task === "collision" ? "show=collision,frames,axes,changes,grid&" : "";
    if (ran.page) await this.showPage(await this.tool.call("read", folder, ran.page), names.page);
    if (report) await this.showFindings(folder, report, robot);
    await this.showFiles(ran.files, folder);
    this.select(this.chosen && names[this.chosen] ? this.chosen : Object.keys(names)[0]);
    return verdict;
  }

  // Shows nothing of an earlier run, and says what is wanted.
  clear(...said) {
    this.forget();
    this.buildTabs({});
    this.say(...said);
  }

  buildTabs(names) {
    find("#tabs").replaceChildren(...Object.entries(names).map(([name, title]) => {
      const tab = make("button", { type: "button", id: `tab-${name}`, textContent: title });
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", `panel-${name}`);
      tab.addEventListener("click", () => { this.chosen = name; this.select(name); });
      return tab;
    }));
  }

  select(name) {
    this.tab = name;
    for (const tab of find("#tabs").children) {
      tab.setAttribute("aria-selected", tab.id === `tab-${name}`);
      tab.tabIndex = tab.id === `tab-${name}` ? 0 : -1;
    }
    for (const one of Object.keys(TABS)) find(`#panel-${one}`).hidden = one !== name;
    find("#wide").hidden = name !== "page" || !this.frame || !this.frame.requestFullscreen;
    this.onTab(name);
  }

  // The page was made of a stranger's file: it gets no access to this one, and nothing to load.
  async showPage(bytes, title) {
    this.address = this.addressOf(new Blob([bytes], { type: "text/html" }));
    this.frame = make("iframe", { title });
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.setAttribute("allow", "clipboard-write; fullscreen");
    this.showTheme();
    find("#panel-page").replaceChildren(this.frame);
  }

  async showFindings(folder, report, robot) {
    const [found, source] = await Promise.all([report, robot].map(name => this.tool.call("read", folder, name)));
    find("#findings").replaceChildren(...findingCards(JSON.parse(new TextDecoder().decode(found)), source));
  }

  showTheme() {
    if (this.frame) this.frame.src = `${this.address}#embedded&${/\baa=0\b/.test(location.hash) ? "aa=0&" : ""}${this.state}theme=${isDark() ? "dark" : "light"}`;
  }

  async showFiles(files, folder) {
    const save = async name => this.save(await this.tool.call("read", folder, name), name.split("/").pop());
    const rows = files.map(([name, size]) => {
      const button = make("button", { type: "button", textContent: "Save" });
      button.setAttribute("aria-label", `Save ${name}`);
      button.addEventListener("click", () => save(name));
      return make("tr", {}, make("th", { scope: "row", textContent: name }), make("td", { textContent: sizeText(size) }), make("td", {}, button));
    });
    const names = files.map(([name]) => name), beside = await this.tool.call("beside", folder, names);
    const bytes = beside.reduce((sum, [, size]) => sum + size, 0), box = make("input", { type: "checkbox", id: "with-meshes", checked: true });
    const all = make("button", { type: "button", className: "primary", id: "save-all", textContent: "Save all as one ZIP" });
    all.addEventListener("click", async () => this.save(
      await this.tool.call("archive", folder, [...names, ...(box.checked ? beside.map(([name]) => name) : [])]),
      `${names[0].split("/").pop().replace(/\.\w+$/, "")}.zip`));
    const several = `${beside.length} dropped file${beside.length === 1 ? "" : "s"}`;
    const meshes = make("label", { className: "flag", hidden: !beside.length }, box,
      `with the meshes: ${several} that the results name, ${sizeText(bytes)}`);
    find("#files").replaceChildren(make("div", { className: "save" }, all, meshes),
      make("table", {}, make("caption", { textContent: "Names are as seen from the folder that was dropped." }), make("tbody", {}, ...rows)));
  }

  save(bytes, name) {
    make("a", { href: this.addressOf(new Blob([bytes])), download: name }).click();
  }

  addressOf(blob) {
    this.addresses.push(URL.createObjectURL(blob));
    return this.addresses[this.addresses.length - 1];
  }

  forget() {
    for (const address of this.addresses.splice(0)) URL.revokeObjectURL(address);
    this.frame = null;
    find("#panel-page").replaceChildren();
    for (const one of Object.keys(TABS)) find(`#panel-${one}`).hidden = true;
  }
}

// Arrow keys move between the tabs of a list, as the pattern of the W3C for tabs asks.
export function moveByKeys(event, list) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key], tabs = [...list.children], here = tabs.indexOf(document.activeElement);
  if (!step || here < 0) return;
  const next = tabs[(here + step + tabs.length) % tabs.length];
  next.focus();
  next.click();
  event.preventDefault();
}
