// The findings of lint as cards: by severity, then by kind, each with its line of the file, a caret, and the cure.

import { make } from "./form.js";

const SEVERITIES = ["error", "warning", "note"];
const SHOWN = 3;  // of a kind, before the others are folded
const BEFORE = 24, LONGEST = 110;  // letters of a source line

// The encodings that the tool reads, by their first bytes.
function textOf(bytes) {
  const mark = bytes[0] * 256 + bytes[1];
  return new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
}

// Where a finding points to in its line: at a value, attribute or element that it names, else at the one that begins there.
function spotIn(line, { names, numbers }) {
  const words = [...names, ...numbers.map(String)].filter(Boolean);
  for (const around of [word => `"${word}"`, word => `'${word}'`, word => ` ${word}=`, word => `<${word}`]) {
    for (const word of words) if (line.includes(around(word))) return [line.indexOf(around(word)) + 1, word.length];
  }
  const element = /<[\w:.-]+/.exec(line);
  return element ? [element.index, element[0].length] : [line.search(/\S|$/), 1];
}

function sourceOf(finding, lines) {
  const line = (lines[finding.line - 1] || "").replace(/\t/g, " ");
  if (!line.trim()) return [];
  const [at, length] = spotIn(line, finding), indent = line.search(/\S/);
  const begin = line.length - indent <= LONGEST ? indent : Math.max(indent, at - BEFORE);
  const shown = `${begin > indent ? "…" : ""}${line.slice(begin, begin + LONGEST)}${line.length > begin + LONGEST ? "…" : ""}`;
  const place = at - begin + (begin > indent ? 1 : 0), number = String(finding.line), gap = " ".repeat(number.length);
  const caret = make("span", { className: "caret", textContent: `${" ".repeat(place)}${"^".repeat(Math.max(1, Math.min(length, shown.length - place)))}` });
  return [make("pre", { className: "source", tabIndex: 0 }, `${number} | ${shown}\n${gap} | `, caret)];
}

function entry(finding, lines) {
  const repair = finding.repair.length ? [make("pre", { className: "repair", textContent: finding.repair.join("\n") })] : [];
  return make("div", { className: "entry" }, make("p", { textContent: finding.message },
    ...(finding.line ? [make("span", { className: "line", textContent: `line ${finding.line}` })] : [])), ...sourceOf(finding, lines), ...repair);
}

function card(severity, kind, alike, lines, isOpen) {
  const entries = alike.map(finding => entry(finding, lines)), cures = [...new Set(alike.map(({ cure }) => cure).filter(Boolean))];
  const rest = entries.slice(SHOWN), count = alike.length > 1 ? ` ${alike.length}` : "";
  return make("details", { className: `finding ${severity}`, open: isOpen },
    make("summary", {}, make("span", { className: "severity", textContent: severity }), make("b", { textContent: kind }), make("span", { className: "count", textContent: count })),
    ...entries.slice(0, SHOWN),
    ...(rest.length ? [make("details", { className: "rest" }, make("summary", { textContent: `${rest.length} more` }), ...rest)] : []),
    ...cures.map(cure => make("p", { className: "cure" }, make("b", { textContent: "Cure: " }), cure)));
}

// Returns the cards of a report for the bytes of the file. Notes are folded where there is worse.
export function findingCards(report, bytes) {
  const lines = textOf(bytes).split(/\r\n|\r|\n/), worst = SEVERITIES.find(severity => report.counts[severity]);
  const cards = SEVERITIES.flatMap(severity => {
    const found = report.findings.filter(finding => finding.severity === severity), kinds = new Map();
    for (const finding of found) kinds.set(finding.kind, [...(kinds.get(finding.kind) || []), finding]);
    return [...kinds].map(([kind, alike]) => card(severity, kind, alike, lines, severity !== "note" || worst === "note"));
  });
  const ignored = report.ignored.length ? [make("p", { className: "facts", textContent: `${report.ignored.length} more are ignored by comments in the file.` })] : [];
  return cards.length || ignored.length ? [...cards, ...ignored] : [make("p", { className: "facts", textContent: "Nothing was found." })];
}
