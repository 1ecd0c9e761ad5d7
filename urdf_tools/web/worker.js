// Python in a worker: it takes files, runs `urdf_tools.web.browser_session`, and reports as it goes.
// All that it loads comes with the first message; the policy of the page allows no request any more.

const HOME = "/home/urdf";
let python = null, session = null;

function answerFromMemory(parts) {
  self.fetch = async address => {
    const name = String(address.url || address).split("/").pop(), bytes = parts[name];
    if (!bytes) throw new Error(`${name} is not part of this page`);
    return new Response(bytes, { headers: { "content-type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
  };
}

async function start({ modules, parts, wheel }) {
  answerFromMemory(parts);
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(modules.map(address => import(address)));
  python = await loadPyodide({
    createPyodideModule, indexURL: "https://memory.invalid/", lockFileContents: new TextDecoder().decode(parts["pyodide-lock.json"]),
    env: { HOME },
  });
  python.FS.mkdirTree(HOME);
  python.unpackArchive(parts[wheel], "wheel", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  session = python.pyimport("urdf_tools.web.browser_session");
  return ask("about");
}

function ask(name, ...given) {
  return JSON.parse(session.call(name, JSON.stringify(given), line => postMessage({ progress: line })));
}

// Writes files below a folder of the memory; each is `{ path, file }` with a File, which is read here.
async function drop(folder, files) {
  ask("clear", folder);
  let done = 0;
  for (const { path, file } of files) {
    const target = `${folder}/${path}`;
    python.FS.mkdirTree(target.slice(0, target.lastIndexOf("/")));
    python.FS.writeFile(target, new Uint8Array(await file.arrayBuffer()));
    done += 1;
    if (done % 20 === 0) postMessage({ progress: `${done} of ${files.length} files` });
  }
  return ask("look", folder, HOME);
}

const read = (folder, name) => python.FS.readFile(`${folder}/${name}`);

function archive(folder, names) {
  const given = python.toPy(names), made = session.archive(folder, given), bytes = made.toJs();
  given.destroy();
  made.destroy();
  return bytes;
}

const KNOWN = { start, drop, read, archive };

onmessage = async ({ data: { id, name, given } }) => {
  try {
    const result = await (KNOWN[name] ? KNOWN[name](...given) : ask(name, ...given));
    postMessage({ id, result }, result instanceof Uint8Array ? [result.buffer] : []);
  } catch (error) {
    postMessage({ id, error: String(error.message || error) });
  }
};
