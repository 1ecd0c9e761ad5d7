// The tool behind the page: its parts are loaded once, then the page gives up every further request.

export const HOME = "/home/urdf";
const LOCAL = "connect-src 'none'; script-src blob: 'wasm-unsafe-eval' {scripts}; img-src data: blob:; form-action 'none'";

// Loads all parts, each checked against its digest; `progress` is called with bytes so far.
async function load(parts, progress) {
  let loaded = 0;
  return Object.fromEntries(await Promise.all(parts.map(async ({ name, path, integrity }) => {
    const response = await fetch(path, { integrity });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
    const pieces = [], reader = response.body.getReader();
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      pieces.push(value);
      progress(loaded += value.length);
    }
    return [name, new Uint8Array(await new Blob(pieces).arrayBuffer())];
  })));
}

// From here on the browser refuses every request, also to the server that the page came from. A worker that is made
// later has the same policy.
function giveUpRequests(scripts) {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = LOCAL.replace("{scripts}", scripts);
  document.head.append(policy);
}

export class Tool {
  constructor(manifest, onProgress) {
    this.manifest = manifest;
    this.onProgress = onProgress;
    this.waiting = new Map();
    this.number = 0;
  }

  async load(progress) {
    this.parts = await load(this.manifest.parts, progress);
    giveUpRequests(this.manifest.scripts);
    return this.start();
  }

  start() {
    const address = name => URL.createObjectURL(new Blob([this.parts[name]], { type: "text/javascript" }));
    this.worker = new Worker(address("worker.js"), { type: "module" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = event => this.ended(event.message || "the worker ended");
    const modules = ["pyodide.mjs", "pyodide.asm.mjs"].map(address);
    const parts = Object.fromEntries(["pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json", this.manifest.wheel].map(
      name => [name, this.parts[name]]));
    return this.call("start", { modules, parts, wheel: this.manifest.wheel });
  }

  call(name, ...given) {
    return new Promise((resolve, reject) => {
      this.waiting.set(this.number += 1, { resolve, reject });
      this.worker.postMessage({ id: this.number, name, given });
    });
  }

  heard({ id, result, error, progress }) {
    if (progress !== undefined) return this.onProgress(progress);
    const { resolve, reject } = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) resolve(result); else reject(new Error(error));
  }

  ended(reason) {
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }

  // Ends whatever runs, and starts anew from the parts that are here already; what was dropped has to be given again.
  stop() {
    this.worker.terminate();
    this.ended("stopped");
    return this.start();
  }
}
