// One run: a worker that makes an instance of cm200, gives it files, and sends back what it printed and wrote. The page starts a new
// one for each run, so that memory is empty, and stops a run by ending the worker.
"use strict";
function folderOf(path) {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

// All files below a folder, with their times.
function listFiles(FS, folder, found) {
  for (const name of FS.readdir(folder)) {
    if (name === "." || name === "..") continue;
    const path = folder + "/" + name;
    const stat = FS.stat(path);
    if (FS.isDir(stat.mode)) listFiles(FS, path, found);
    else found.push(path);
  }
  return found;
}

self.onmessage = async (event) => {
  const { wasm, files, folder, runs, stdin } = event.data;
  const results = [];
  const kept = new Map(files.map((file) => [file.path, file.bytes]));
  try {
    for (const run of runs) {
      const out = [], err = [];
      const program = await self.createCm200({
        instantiateWasm: (imports, done) => {
          WebAssembly.instantiate(wasm, imports).then((instance) => done(instance));
          return {};
        },
        preRun: [(m) => {
          let at = 0;
          const read = () => (stdin && at < stdin.length ? stdin[at++] : null);
          m.FS.init(read, (byte) => out.push(byte & 255), (byte) => (stdin ? out : err).push(byte & 255));
        }],
        quit: () => {},
      });
      for (const [path, bytes] of kept) {
        program.FS.mkdirTree(folderOf(path));
        program.FS.writeFile(path, bytes);
      }
      program.FS.chdir(folder);
      const code = program.callMain(run);
      const text = (bytes) => new TextDecoder().decode(Uint8Array.from(bytes));
      const made = listFiles(program.FS, "/cm200", []).filter((path) => !kept.has(path))
        .map((path) => ({ path, bytes: program.FS.readFile(path) }));
      results.push({ code, out: text(out), err: text(err), made });
      if (code !== 0) break;
    }
    self.postMessage({ results });
  } catch (error) {
    self.postMessage({ results, crash: String(error && error.message ? error.message : error) });
  }
};
