// Files from a drop, a file picker or a folder picker, each as `{ path, file }`; what is hidden stays out.

const READ = /\.(urdf|xacro|xml|mjcf|sdf|world|model|srdf|json|zip|stl|dae|zae|obj|mtl|gltf|glb|bin|ply|mesh|png|jpe?g|tga|bmp|gif|tiff?|ktx2?|dds|config|urdfpatch|txt)$/i;
const HIDDEN = /(^|\/)(\.|__MACOSX\/|node_modules\/)/;

const isUsed = path => READ.test(path) && !HIDDEN.test(path);

async function entriesOf(folder) {
  const reader = folder.createReader(), found = [];
  for (;;) {  // a reader returns at most a hundred at once
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    found.push(...some);
  }
}

async function walk(entry, found) {
  const path = entry.fullPath.replace(/^\//, "");
  if (HIDDEN.test(`${path}${entry.isDirectory ? "/" : ""}`)) return;
  if (entry.isDirectory) {
    for (const inside of await entriesOf(entry)) await walk(inside, found);
  } else if (isUsed(path)) {
    found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
  }
}

export async function ofDrop(transfer) {
  // Entries must be taken before the first await: afterwards the drop is empty.
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean), found = [];
  for (const entry of entries) await walk(entry, found);
  return found.length || entries.length ? found : ofFiles(transfer.files);
}

export function ofFiles(files) {
  return [...files].map(file => ({ path: file.webkitRelativePath || file.name, file })).filter(({ path }) => isUsed(path));
}
