// The page: examples, editor, runs in a worker, results, files, links. No framework; program.js has the program and the examples.
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const FOLDER = "/cm200";
const START = "programs/examples/five-point-pshift.json";
const opened = new Map(); // files from disk that a workload may name: path to bytes
let shipped = {}, script = "", worker = ""; // the program's files, its script, the code around a run
let module = null, running = null, lastResult = null, traceBytes = null;
let traceBefore = null; // of the run before the last one
let viewer = null, shown = null; // the viewer; the trace that it shows

// ---- bytes and text ----

const encode = (text) => new TextEncoder().encode(text);
function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
const fromBase64Url = (text) => fromBase64(text.replace(/-/g, "+").replace(/_/g, "/"));
async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

// ---- the editor ----

const isProgram = (name) => /\.(fcm|f|for|f90|f95|f03|f08)$/i.test(name);

function show(name, text) {
  $("name").value = name;
  $("text").value = text;
  clearError();
}

function clearError() {
  $("error").hidden = true;
  $("marks").textContent = "";
}

// Marks the line and the character that a message names, and scrolls there.
function mark(line, column) {
  const lines = $("text").value.split("\n");
  if (line < 1 || line > lines.length) return;
  const text = lines[line - 1];
  const at = Math.max(0, Math.min(column - 1, text.length));
  const whole = document.createElement("mark"), place = document.createElement("mark");
  place.className = "place";
  place.textContent = text[at] || " ";
  whole.append(text.slice(0, at), place, text.slice(at + 1));
  $("marks").replaceChildren(lines.slice(0, line - 1).map((l) => l + "\n").join(""), whole, "\n" + lines.slice(line).join("\n"));
  const height = parseFloat(getComputedStyle($("text")).lineHeight);
  $("text").scrollTop = Math.max(0, (line - 5) * height);
  const start = lines.slice(0, line - 1).reduce((sum, l) => sum + l.length + 1, 0) + at;
  $("text").setSelectionRange(start, start + (column > 0 ? 1 : 0));
  $("text").focus();
  followScroll();
}

function followScroll() {
  $("marks").scrollTop = $("text").scrollTop;
  $("marks").scrollLeft = $("text").scrollLeft;
}

function showError(message, name) {
  $("error").textContent = message.trimEnd();
  $("error").hidden = false;
  for (const line of message.split("\n")) {
    const found = /^(.+?):(\d+):(?:(\d+):)? /.exec(line);
    if (found && found[1] === name) {
      mark(Number(found[2]), Number(found[3] || 1));
      return;
    }
  }
}

// ---- results ----

function cell(row, text, kind = "td") {
  const made = document.createElement(kind);
  made.textContent = text;
  row.append(made);
  return made;
}

function table(title, heads, rows) {
  const made = document.createElement("table");
  made.createCaption().textContent = title;
  const head = made.createTHead().insertRow();
  for (const text of heads) cell(head, text, "th").scope = "col";
  const body = made.createTBody();
  for (const values of rows) {
    const row = body.insertRow();
    for (const value of values) {
      const made = cell(row, "");
      if (value instanceof Node) made.append(value);
      else made.textContent = typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 9 }) : value === undefined ? "" : String(value);
    }
  }
  return made;
}

function bar(share) {
  const made = document.createElement("span");
  made.className = "bar";
  made.style.width = (12 * share).toFixed(2) + "rem";
  return made;
}

function tables(result) {
  const scalars = Object.entries(result).filter(([, value]) => typeof value !== "object");
  const causes = Object.entries(result.cycles_by_cause || {}).filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
  const most = causes.length ? causes[0][1] : 1;
  const made = [table("Totals", ["", ""], scalars)];
  made.push(table("Why each cycle was spent", ["cause", "cycles", "of all", ""],
    causes.map(([name, cycles]) => [name, cycles, (100 * cycles / result.cycles).toFixed(1) + " %", bar(cycles / most)])));
  const columns = ["op", "path", "cycles", "exchanges", "page_faults", "loads", "stores"];
  if (Array.isArray(result.steps))
    made.push(table("Steps", ["step", ...columns.map((c) => c.replace("_", " "))],
      result.steps.map((step, i) => [i + 1, ...columns.map((c) => step[c])])));
  return made;
}

function offer(path, bytes) {
  const link = document.createElement("a");
  const name = path.slice(path.lastIndexOf("/") + 1);
  link.textContent = name;
  link.download = name;
  link.href = URL.createObjectURL(new Blob([bytes]));
  $("files").append(link, " ");
}

function select(tab) {
  for (const other of document.querySelectorAll("[role=tab]")) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", chosen);
    other.tabIndex = chosen ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  document.querySelector("main").classList.toggle("wide", tab === $("tab-wires"));
}

function chooseTab(tab) {
  select(tab);
  if (tab === $("tab-wires")) showWires();
}

// ---- runs ----

function filesOfRun(name) {
  const lessons = window.cm200Lessons ? window.cm200Lessons.files : {};
  const files = Object.entries({ ...shipped, ...lessons }).filter(([path]) => !path.endsWith(".png"))
    .map(([path, text]) => ({ path: FOLDER + "/" + path, bytes: encode(text) }));
  for (const [path, bytes] of opened) files.push({ path: FOLDER + "/" + path, bytes });
  const own = FOLDER + "/" + name;
  return [...files.filter((file) => file.path !== own), { path: own, bytes: encode($("text").value) }];
}

function setState(text, busy) {
  $("state").textContent = text;
  $("run").disabled = busy;
  $("stop").disabled = !busy;
}

function finish(name, seconds, message) {
  const [text, json] = message.results;
  running = null;
  $("view-text").textContent = text ? text.out : "";
  if (message.crash || !json || json.code !== 0) {
    const failed = json || text;
    setState(message.crash ? "ended by a fault" : `exit code ${failed.code}`, false);
    showError(message.crash ? "cm200 ended: " + message.crash : failed.err || failed.out, name);
    return;
  }
  lastResult = json.out;
  $("view-json").textContent = json.out;
  try {
    $("view-tables").replaceChildren(...tables(JSON.parse(json.out)));
  } catch (error) {
    $("view-tables").textContent = "the result is not JSON: " + error.message;
  }
  offer(name.replace(/\.[^.]*$/, "") + ".result.json", encode(json.out));
  for (const file of text.made) offer(file.path, file.bytes);
  const trace = text.made.find((file) => file.path.endsWith(".trace"));
  keepTrace(trace ? trace.bytes : null, name);
  setState(`done in ${seconds.toFixed(2)} s`, false);
  if (!$("view-wires").hidden) showWires();
}

// Commands of cm200, one after the other, in a worker of their own: {results: [{code, out, err, made}], crash}. `more` are files by
// path, besides the shipped ones.
async function runCommands(runs, more = {}) {
  while (!module) await new Promise((resolve) => setTimeout(resolve, 20));
  const url = URL.createObjectURL(new Blob([script, "\n", worker], { type: "text/javascript" }));
  const made = new Worker(url);
  URL.revokeObjectURL(url);
  const files = Object.entries({ ...shipped, ...more }).filter(([path]) => !path.endsWith(".png"))
    .map(([path, text]) => ({ path: FOLDER + "/" + path, bytes: encode(text) }));
  const answer = await new Promise((resolve) => {
    made.onmessage = (event) => resolve(event.data);
    made.onerror = (event) => resolve({ results: [], crash: event.message });
    made.postMessage({ wasm: module, files, folder: FOLDER, runs });
  });
  made.terminate();
  return answer;
}

function run() {
  if (!module || running) return;
  const name = $("name").value.trim() || "workload.json";
  const common = ["run", name, "--threads", "1", ...($("nodes").value ? ["--nodes", $("nodes").value] : [])];
  const url = URL.createObjectURL(new Blob([script, "\n", worker], { type: "text/javascript" }));
  const began = performance.now();
  clearError();
  $("files").replaceChildren();
  lastResult = null;
  $("view-text").textContent = $("view-json").textContent = $("view-tables").textContent = "";
  setState("running", true);
  running = new Worker(url);
  URL.revokeObjectURL(url);
  running.onmessage = (event) => finish(name, (performance.now() - began) / 1000, event.data);
  running.onerror = (event) => finish(name, 0, { results: [], crash: event.message });
  const trace = ["--trace", "run.trace"];
  running.postMessage({ wasm: module, files: filesOfRun(name), folder: FOLDER, runs: [[...common, ...trace], [...common, "--json"]] });
}

function stop() {
  if (!running) return;
  running.terminate();
  running = null;
  setState("stopped", false);
}

// ---- the viewer ----

// The viewer's module is loaded when the first picture is asked for. A script, because a page from disk may not fetch files.
const loaded = {};
function loadView(scale) {
  const name = scale === 1 ? "view.js" : "view-2.js";
  loaded[name] = loaded[name] || new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = name;
    made.onload = () => resolve(scale === 1 ? window.cm200View : window.cm200View2);
    made.onerror = () => reject(new Error(name + " is not beside the page"));
    document.head.append(made);
  });
  return loaded[name];
}

const names = new WeakMap(); // of the files that traces are of
function keepTrace(bytes, name) {
  if (bytes) names.set(bytes, name);
  if (traceBytes) traceBefore = traceBytes;
  traceBytes = bytes;
}

// Opens traces in the viewer, with options of cm200-view; without --at-cycle, at the first exchange or packet.
async function showPicture(first, second, options) {
  viewer = viewer || new window.cm200Viewer($("wires"), loadView);
  $("wires-note").hidden = true;
  $("compare").hidden = !traceBefore || !traceBytes;
  select($("tab-wires"));
  try {
    shown = first;
    await viewer.open(first, second, { file: names.get(first) || "", "second-file": (second && names.get(second)) || "", ...options });
  } catch (error) {
    showError("no picture: " + error.message, "");
  }
  return viewer;
}

// The last run, unless it is shown already.
function showWires() {
  if (traceBytes && shown !== traceBytes) return showPicture(traceBytes, null);
  return null;
}

const compare = () => { if (traceBefore && traceBytes) return showPicture(traceBefore, traceBytes, { span: "visible" }); };

// ---- files and links ----

async function open(list) {
  for (const file of list) {
    const path = "programs/examples/" + file.name;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (/\.json$/i.test(file.name) || isProgram(file.name)) show(path, new TextDecoder().decode(bytes));
    else opened.set(path, bytes);
  }
  setState(opened.size ? `${opened.size} more files from disk` : "ready", false);
}

function save() {
  const link = document.createElement("a");
  link.download = $("name").value.split("/").pop() || "workload.json";
  link.href = URL.createObjectURL(new Blob([$("text").value]));
  link.click();
}

// The fragment: z or p (compressed or plain), then name, nodes and text as JSON, in base64.
async function makeLink() {
  const bytes = encode(JSON.stringify([$("name").value, $("nodes").value, $("text").value]));
  const packed = window.CompressionStream ? "z" + toBase64Url(await through(bytes, new CompressionStream("deflate-raw")))
    : "p" + toBase64Url(bytes);
  location.hash = packed;
  try {
    await navigator.clipboard.writeText(location.href);
    setState("link copied; it is in the address, too", false);
  } catch {
    setState("the link is in the address", false);
  }
}

async function followLink() {
  const hash = location.hash.slice(1);
  if (!/^[zp]./.test(hash)) return false;
  try {
    let bytes = fromBase64Url(hash.slice(1));
    if (hash[0] === "z") bytes = await through(bytes, new DecompressionStream("deflate-raw"));
    const [name, nodes, text] = JSON.parse(new TextDecoder().decode(bytes));
    show(String(name), String(text));
    $("nodes").value = String(nodes);
    return true;
  } catch (error) {
    showError("the link cannot be read: " + error.message, "");
    return false;
  }
}

// ---- start ----

function listExamples() {
  for (const path of Object.keys(shipped).filter((p) => /^programs\/examples\/.*\.(json|fcm)$/.test(p)).sort()) {
    const option = document.createElement("option");
    option.value = path;
    option.textContent = path.replace("programs/examples/", "");
    $("example").append(option);
  }
  $("example").value = START;
}

function listen() {
  $("example").onchange = () => show($("example").value, shipped[$("example").value]);
  $("run").onclick = run;
  $("stop").onclick = stop;
  $("save").onclick = save;
  $("compare").onclick = compare;
  $("link").onclick = makeLink;
  $("open").onchange = (event) => open(event.target.files);
  $("text").onscroll = followScroll;
  $("text").oninput = clearError;
  const tabs = [...document.querySelectorAll("[role=tab]")];
  tabs.forEach((tab, i) => {
    tab.onclick = () => chooseTab(tab);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      chooseTab(next);
      next.focus();
    };
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    else if (event.key === "Escape") stop();
  });
  window.addEventListener("hashchange", followLink);
}

async function start() {
  listen();
  select($("tab-text"));
  await new Promise((resolve) => setTimeout(resolve)); // the page is seen before the program is unpacked
  const parts = window.cm200Unpack(window.cm200Program), text = (bytes) => new TextDecoder().decode(bytes);
  shipped = JSON.parse(text(parts.files));
  script = text(parts.script);
  worker = text(parts.worker);
  listExamples();
  show(START, shipped[START]);
  await followLink();
  module = await WebAssembly.compile(parts.wasm);
  setState("ready", false);
}

// For the lessons and for tests.
window.cm200Page = { show, run, runCommands, isProgram, keepTrace, showPicture, compare, result: () => lastResult, trace: () => traceBytes,
                     get shipped() { return shipped; }, get viewer() { return viewer; } };
start().catch((error) => setState("cannot start: " + error.message, false));
})();
