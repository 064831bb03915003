// cm200 as WebAssembly on the command line: node cm200-cli.js run FILE --json. The tests compare it with the native
// program. The files of the host are those of the program.
"use strict";
const fs = require("fs");
const path = require("path");
const create = require("./cm200.js");

function start() {
  const write = (fd) => {
    let bytes = [];
    const flush = () => {
      for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, Uint8Array.from(bytes.slice(at)));
      bytes = [];
    };
    const put = (byte) => {
      if (byte === null) return;
      bytes.push(byte & 255);
      if (bytes.length >= 65536) flush();
    };
    return { put, flush };
  };
  const out = write(1), err = write(2);
  return create({
    wasmBinary: fs.readFileSync(path.join(__dirname, "cm200.wasm")),
    preRun: [(m) => {
      m.FS.init(() => null, out.put, err.put);
    }],
    quit: () => {},
  }).then((m) => {
    for (const name of fs.readdirSync("/")) {
      const folder = "/" + name;
      if (["/dev", "/proc"].includes(folder) || !fs.statSync(folder).isDirectory()) continue;
      if (!m.FS.analyzePath(folder).exists) m.FS.mkdir(folder);
      m.FS.mount(m.NODEFS, { root: folder }, folder);
    }
    m.FS.chdir(process.cwd());
    const code = m.callMain(process.argv.slice(2));
    out.flush();
    err.flush();
    process.exitCode = code;
  });
}

start().catch((error) => {
  process.stderr.write(`cm200-cli: ${error && error.stack ? error.stack : error}\n`);
  process.exitCode = 70;
});
