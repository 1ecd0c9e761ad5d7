// What came of a run: the verdict, the tabs, the page in its frame, the text of the terminal, the files.

import { findingCards } from "./findings.js";
import { make } from "./form.js";
import { plainText, terminalText } from "./terminal.js";

const find = selector => document.querySelector(selector);
const TABS = { page: "", findings: "", plan: "", lines: "", files: "" };
const VERDICTS = {
  simplify: ["good", "neutral", "refused", "failed"], compare: ["good", "differs", "refused", "failed"],
  lint: ["good", "refused", "refused", "failed"],
};
const TITLES = {
  simplify: { page: "Before and after", plan: "Plan", lines: "Lines", files: "Files" },
  compare: { page: "Both robots", plan: "Comparison", files: "Files" }, lint: { findings: "Findings", plan: "As text", files: "Files" },
};
const REFUSED = "Refused: nothing was written", FAILED = "The proof failed: a fault of this tool, nothing was written";

export const sizeText = bytes => (bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} KB`);

export const isDark = () => (document.documentElement.dataset.theme
  ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

// Returns what follows a word at the beginning of a line, with the indented lines below it.
function paragraph(text, word) {
  const found = new RegExp(`^${word}: (.*(?:\\n  .*)*)`, "m").exec(text);
  return found ? found[1].replace(/\s+/g, " ") : "";
}

function verdictText(task, ran) {
  const text = plainText(ran.shown).trim();
  if (ran.status > 1) return [ran.status === 2 ? REFUSED : FAILED, text.split("\n")[0]];
  if (task === "simplify") return ["Proved the same robot", paragraph(text, "Plan") || paragraph(text, "Same robot")];
  const [first = "", second = ""] = text.split("\n"), [title, ...more] = first.split(": ");
  return task === "lint" ? [`${ran.status || /\d warning/.test(first) ? "" : "OK: "}${more.join(": ") || title}`, title] : [title, more.join(": ") || second];
}

// A file without errors may have warnings, which are no reason for green.
function kindOf(task, ran, title) {
  return task === "lint" && ran.status === 0 && /\d warning/.test(title) ? "differs" : VERDICTS[task][ran.status];
}

export class Results {
  constructor(tool, onTab) {
    [this.tool, this.onTab, this.tab, this.frame, this.addresses, this.said] = [tool, onTab, "plan", null, [], ["neutral", "", ""]];
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
    const [title, more] = verdictText(task, ran), names = { ...TITLES[task] };
    if (!ran.page) delete names.page;
    if (ran.status !== 0 || task !== "simplify") delete names.lines;
    if (!ran.files.length) delete names.files;
    const report = task === "lint" && ran.files.map(([name]) => name).find(name => name.endsWith(".json"));
    if (!report) delete names.findings;
    find("#plan").replaceChildren(terminalText(ran.shown.replace(/\n+$/, "\n")));
    find("#lines").replaceChildren();
    this.buildTabs(names);
    if (ran.page) await this.showPage(await this.tool.call("read", folder, ran.page), names.page);
    if (report) await this.showFindings(folder, report, robot);
    await this.showFiles(ran.files, folder);
    this.select(this.chosen && names[this.chosen] ? this.chosen : Object.keys(names)[0]);
    return [kindOf(task, ran, title), title, more];
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
    if (this.frame) this.frame.src = `${this.address}#embedded&${/\baa=0\b/.test(location.hash) ? "aa=0&" : ""}theme=${isDark() ? "dark" : "light"}`;
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
