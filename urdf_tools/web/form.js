// The form, made of what the table of options says, and the values in it.

const make = (tag, properties = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...inside);
  return element;
};

// `format`: of the robot; what is no URDF goes to a URDF first, and not to what it is.
function control(field, format) {
  const name = `field-${field.task}-${field.name}`;
  if (field.kind === "flag" || field.kind === "file") return make("input", { type: "checkbox", id: name, checked: field.task === "export" && FOREIGN.has(format) ? field.name === "output" : field.on });
  if (field.kind === "choice") {
    return make("select", { id: name }, make("option", { value: "", textContent: "as by default" }),
      ...field.choices.map(value => make("option", { value, textContent: value })));
  }
  return make("input", { type: "text", id: name, placeholder: field.hint, spellcheck: false });
}

export const FOREIGN = new Set(["MJCF", "SDF"]);

// Groups that many need stand open; the others are opened by who needs them.
const OPEN = new Set(["What to change", "Shapes", "Joints", "Links", "Which formats", "How to compare", "Which findings"]);

export function formOf(fields, task, format) {
  const groups = new Map();
  for (const field of fields.filter(one => one.task === task)) {
    const input = control(field, format), row = make("label", { className: field.kind, title: field.help });
    Object.assign(input.dataset, { name: field.name, kind: field.kind });
    input.setAttribute("aria-description", field.help);
    row.append(...(input.type === "checkbox" ? [input, field.label] : [field.label, input]));
    if (!groups.has(field.group)) groups.set(field.group, []);
    groups.get(field.group).push(row);
  }
  return [...groups].map(([title, rows]) => make("details", { open: OPEN.has(title) || title === "Meshes" && task === "export" },
    make("summary", { textContent: title }), ...rows));
}

export function valuesOf(place) {
  return Object.fromEntries([...place.querySelectorAll("[data-name]")].map(
    input => [input.dataset.name, input.type === "checkbox" ? input.checked : input.value.trim()]));
}

export { make };
