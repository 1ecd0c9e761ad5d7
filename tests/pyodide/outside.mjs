// Runs every_output.py in Pyodide: CPython compiled to WebAssembly, with another mathematical library.
// usage: node outside.mjs FOLDER_WITH_node_modules [FOLDER_FOR_OUTPUTS]
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [installed, kept] = process.argv.slice(2).map((path) => resolve(path));
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { loadPyodide } = await import(pathToFileURL(join(installed, "node_modules", "pyodide", "pyodide.mjs")).href);
const python = await loadPyodide({ args: ["-B"], stdout: (line) => process.stdout.write(line + "\n") });
const shared = join(dirname(root), "shared");
python.mountNodeFS("/mounted/checkout", root);
if (existsSync(shared)) python.mountNodeFS("/mounted/shared", realpathSync(shared));
if (kept) python.mountNodeFS("/mounted/kept", kept);
python.globals.set("arguments", kept ? ["/mounted/kept"] : []);
try {
  python.runPython(`
import runpy, sys
sys.argv = ["every_output.py", *arguments]
runpy.run_path("/mounted/checkout/tests/pyodide/every_output.py", run_name="__main__")
print(f"Python {sys.version.split()[0]} on {sys.platform}", file=sys.stderr)
`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
