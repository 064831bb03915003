// Makes a script of the page small: node minify.js SCRIPT OUT. Names that others use stay; terser is Debian's.
"use strict";
const fs = require("fs");
const { minify } = require("terser");

const [from, to] = process.argv.slice(2);
minify(fs.readFileSync(from, "utf8"), { compress: { passes: 2 }, mangle: true })
  .then((small) => fs.writeFileSync(to, small.code + "\n"))
  .catch((error) => {
    process.stderr.write(`${from}: ${error.message}\n`);
    process.exitCode = 1;
  });
