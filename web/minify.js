// Makes a script of the page small: node minify.js SCRIPT OUT [--for-worker]. Names that others use stay; terser is Debian's.
// With --for-worker SCRIPT is emscripten's, and what it has for Node.js and for windows goes: the page runs it in a worker.
"use strict";
const fs = require("fs");
const { minify } = require("terser");

const FOR_WORKER = [
  [/var ENVIRONMENT_IS_WEB=[^;]*;/, "var ENVIRONMENT_IS_WEB=false;"],
  [/var ENVIRONMENT_IS_WORKER=[^;]*;/, "var ENVIRONMENT_IS_WORKER=true;"],
  [/var ENVIRONMENT_IS_NODE=[^;]*;/, "var ENVIRONMENT_IS_NODE=false;"],
  [/,"NODEFS":NODEFS\}/, "}"],
  [/Module\["NODEFS"\]=NODEFS;/, ""],
];

const [from, to, option] = process.argv.slice(2);
let text = fs.readFileSync(from, "utf8");
for (const [pattern, instead] of option === "--for-worker" ? FOR_WORKER : []) {
  if (!pattern.test(text)) throw new Error(`${from}: no ${pattern}`);
  text = text.replace(pattern, instead);
}
minify(text, { compress: { passes: 3 }, mangle: true })
  .then((small) => fs.writeFileSync(to, small.code + "\n"))
  .catch((error) => {
    process.stderr.write(`${from}: ${error.message}\n`);
    process.exitCode = 1;
  });
