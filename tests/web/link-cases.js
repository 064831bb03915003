// Random states of the page through web/link.js, and damaged fragments: node link-cases.js LINK_JS CASES SEED. Prints a line for
// each failure. check-link.py calls it.
"use strict";
const { pack, unpack, PICTURE } = require(require("path").resolve(process.argv[2]));
const cases = Number(process.argv[3]);
let seed = Number(process.argv[4]);
const random = (sides) => { // mulberry32
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
  return ((t ^ (t >>> 14)) >>> 0) % sides;
};
const pick = (list) => list[random(list.length)];
const values = { "at-cycle": "512", pin: "3:1:0", panel: "cube", layout: "heat", palette: "grey", span: "visible", load: "busiest", theme: "light", range: "absolute" };
const letters = ["a", "\n", "\u00e4", "\u{1f30d}", "{", "\"", "&", "#", "+", "%", "="];

function randomState(inner) {
  const state = {};
  if (random(2)) state.file = pick(["programs/examples/sort.json", "my file.fcm", "a+b-c_d.f90"]);
  if (random(2)) state.text = Array.from({ length: random(200) }, () => pick(letters)).join("");
  if (random(2)) state.nodes = String(1 << random(12));
  if (random(2)) state.set = Array.from({ length: 1 + random(3) }, () => pick(["memory.page_words=512", "clock_hz=1e7", "a.b=-0.5"]));
  if (random(2)) Object.assign(state, { lesson: String(1 + random(15)), part: String(random(40)) });
  for (const key of PICTURE) if (random(3) === 0) state[key] = values[key];
  if (!inner && random(3) === 0) state.before = randomState(true);
  return state;
}

const sorted = (value) => Array.isArray(value) || typeof value !== "object" ? value
  : Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));

function damage(text) {
  const at = random(text.length + 1);
  const put = pick(["", "&", "=", "%", "%zz", "text=", "before=", "\u0000", "A".repeat(random(3000))]);
  return text.slice(0, at) + put + text.slice(at + random(5));
}

(async () => {
  for (let i = 0; i < cases; i++) {
    const state = randomState(false), fragment = await pack(state);
    const told = JSON.stringify(state);
    if (!/^[\w.~!*'()%&=/:+-]*$/.test(fragment)) console.log(`${told}: the fragment ${fragment} has characters that addresses do not have`);
    const got = await unpack(fragment).catch((error) => error.message);
    if (JSON.stringify(sorted(got)) !== JSON.stringify(sorted(state))) console.log(`${told} becomes ${JSON.stringify(got)}`);
    const began = Date.now(), bad = damage(fragment);
    await unpack(bad).catch((error) => {
      if (!(error instanceof Error) || !/^it(s| has| names)/.test(error.message)) console.log(`${JSON.stringify(bad)}: ${error.message}`);
    });
    if (Date.now() - began > 5000) console.log(`${JSON.stringify(bad)}: ${Date.now() - began} ms`);
  }
  for (const length of [1 << 20, (1 << 20) + 1, 1 << 26]) {
    const began = Date.now();
    const fragment = await pack({ text: "a".repeat(length) });
    const message = await unpack(fragment).then(() => "", (error) => error.message);
    if ((message === "") !== (length <= 1 << 20)) console.log(`a text of ${length} bytes: ${message || "taken"}`);
    if (Date.now() - began > 30000) console.log(`a text of ${length} bytes: ${Date.now() - began} ms`);
  }
})();
