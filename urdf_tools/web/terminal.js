// Text with the colors of a terminal, as elements.

const CLASSES = { 1: "bold", 31: "red", 32: "green", 33: "yellow", 36: "cyan" };

export function terminalText(text) {
  const shown = document.createDocumentFragment();
  let name = "";
  for (const [index, piece] of text.split(/\x1b\[([0-9;]*)m/).entries()) {
    if (index % 2) {
      name = CLASSES[+piece] || "";
    } else if (piece) {
      const part = document.createElement("span");
      part.textContent = piece;
      if (name) part.className = name;
      shown.append(part);
    }
  }
  return shown;
}

export const plainText = text => text.replace(/\x1b\[[0-9;]*m/g, "");
