// The page: examples, editor, runs in a worker, results, files, links. No framework; program.js has the program and the examples.
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const FOLDER = "/cm200";
const START = "programs/examples/five-point-pshift.json";
const opened = new Map(); // files from disk that a workload may name: path to bytes
let shipped = {}, worker = ""; // the program's files, the code around a run
let lastResult = null, traceBytes = null;
let traceBefore = null; // of the run before the last one
let viewer = null, shown = null; // the viewer; the traces that it shows
let compiled = null; // ends the wait for the program
const program = new Promise((resolve) => { compiled = resolve; }); // {wasm, script}: its module, and the script around it
// Commands of the page's program; all others are in one that is loaded when it is needed.
const COMMANDS = new Set(["run", "layout", "reshape", "shift", "route", "fft"]);
const workers = new Map(); // the workers that run: each with a function that ends its run
let replaced = null; // what the editor had before another file replaced it: {name, text}
let saving = 0; // the timer that saves the state

// ---- bytes and text ----

const encode = (text) => new TextEncoder().encode(text);

// ---- the editor ----

const isProgram = (name) => /\.(fcm|f|for|f90|f95|f03|f08)$/i.test(name);

let clean = ""; // the text that the editor had before it was edited
function show(name, text, before = text) {
  $("name").value = name;
  $("text").value = text;
  clean = before;
  clearError();
}

// The text that a name stands for without edits.
const original = (name) => shipped[name] ?? (window.cm200Lessons ? window.cm200Lessons.files[name] : undefined);
const isEdited = () => $("text").value !== "" && $("text").value !== clean;

// Shows a file in place of what the editor has. Asks first where edits would go, and lets them come back. False: the user refused.
function replace(name, text) {
  if (isEdited() && $("text").value !== text) {
    if (!window.confirm(`Replace ${$("name").value}, which you have changed? Undo brings it back.`)) return false;
    replaced = { name: $("name").value, text: $("text").value };
    $("undo").hidden = false;
  }
  leave();
  show(name, text);
  arrive();
  return true;
}

function undo() {
  if (!replaced) return;
  const { name, text } = replaced;
  replaced = null;
  $("undo").hidden = true;
  leave();
  show(name, text, original(name) ?? "");
  arrive();
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
  document.querySelector("main").classList.toggle("wide", tab === $("tab-wires") || tab === $("tab-debug"));
}

function chooseTab(tab) {
  select(tab);
  if (tab === $("tab-wires")) showWires();
  if (tab === $("tab-debug")) window.cm200Debug.open();
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
}

function finish(name, made, seconds, message) {
  const [text, json] = message.results;
  $("view-text").textContent = text ? text.out : "";
  if (message.crash === "stopped") {
    setState("stopped", false);
    return;
  }
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
  keepTrace(trace ? trace.bytes : null, name, made);
  setState(`done in ${seconds.toFixed(2)} s`, false);
  if (!$("view-wires").hidden) showWires();
}

// Runs commands of cm200, one after the other, in a worker of their own: {results: [{code, out, err, made}], crash}.
// `stdin` is what the commands read; with it, their messages are in `out`, where they were printed.
async function runInWorker(files, runs, stdin = null) {
  let wasm, script;
  try {
    ({ wasm, script } = await (runs.every(([command]) => COMMANDS.has(command)) ? program : loadMore()));
  } catch (error) {
    return { results: [], crash: error.message };
  }
  const url = URL.createObjectURL(new Blob([script, "\n", worker], { type: "text/javascript" }));
  const made = new Worker(url);
  URL.revokeObjectURL(url);
  const answer = await new Promise((resolve) => {
    workers.set(made, () => resolve({ results: [], crash: "stopped" }));
    $("stop").disabled = false;
    made.onmessage = (event) => resolve(event.data);
    made.onerror = (event) => resolve({ results: [], crash: event.message });
    made.postMessage({ wasm, files, folder: FOLDER, runs, stdin: stdin === null ? null : encode(stdin) });
  });
  made.terminate();
  workers.delete(made);
  $("stop").disabled = workers.size === 0;
  return answer;
}

// Commands with the shipped files. `more` are files besides them, by path: texts or bytes.
const runCommands = (runs, more = {}) => runInWorker(Object.entries({ ...shipped, ...more }).filter(([path]) => !path.endsWith(".png"))
  .map(([path, text]) => ({ path: FOLDER + "/" + path, bytes: typeof text === "string" ? encode(text) : text })), runs);

// The name of what is in the editor, and the options that the page's fields give. null: a field is wrong, which is shown.
function editorOptions() {
  const name = $("name").value.trim() || "workload.json";
  clearError();
  try {
    return [name, ...($("nodes").value ? ["--nodes", $("nodes").value] : []),
            ...window.cm200Link.readSets($("set").value).flatMap((set) => ["--set", set])];
  } catch (error) {
    showError("Set: " + error.message, "");
    return null;
  }
}

// A command for what is in the editor, which reads `stdin`.
async function runEditor(words, stdin) {
  const options = editorOptions();
  return options ? runInWorker(filesOfRun(options[0]), [[...words, ...options]], stdin) : { results: [], crash: "a field of the page is wrong" };
}

// Runs what is in the editor.
async function run() {
  if ($("run").disabled) return;
  const options = editorOptions();
  if (!options) return;
  const made = programState(), name = options[0];
  const common = ["run", ...options, "--threads", "1"];
  const began = performance.now();
  $("files").replaceChildren();
  lastResult = null;
  $("view-text").textContent = $("view-json").textContent = $("view-tables").textContent = "";
  setState("running", true);
  const answer = await runInWorker(filesOfRun(name), [[...common, "--trace", "run.trace"], [...common, "--json"]]);
  finish(name, made, (performance.now() - began) / 1000, answer);
}

function stop() {
  for (const [made, end] of workers) {
    made.terminate();
    end();
  }
}

// ---- the viewer ----

// Loads a file of the page once: a script, because a page from disk may not fetch files. Gives what `value` finds afterwards.
const loaded = {};
function load(name, value) {
  loaded[name] = loaded[name] || new Promise((resolve, reject) => {
    const made = document.createElement("script");
    made.src = name;
    made.onload = () => resolve(value());
    made.onerror = () => reject(new Error(name + " is not in the folder of the page"));
    document.head.append(made);
  });
  return loaded[name];
}

// The viewer's module is loaded when the first picture is asked for.
const loadView = (scale) => (scale === 1 ? load("view.js", () => window.cm200View) : load("view-2.js", () => window.cm200View2));

// The program with all commands.
const loadMore = () => load("more.js", () => compileProgram(window.cm200Unpack(window.cm200More)));
const compileProgram = async (parts) => ({ wasm: await WebAssembly.compile(parts.wasm), script: new TextDecoder().decode(parts.script) });

const names = new WeakMap(); // of the files that traces are of
const programs = new WeakMap(); // the states of the page that traces were made with
function keepTrace(bytes, name, made) {
  if (bytes) names.set(bytes, name);
  if (bytes && made) programs.set(bytes, made);
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
    shown = [first, second];
    if (matchMedia("(max-width: 60rem)").matches) $("wires").scrollIntoView();
    await viewer.open(first, second, { file: names.get(first) || "", "second-file": (second && names.get(second)) || "", ...options });
  } catch (error) {
    showError("no picture: " + error.message, "");
  }
  return viewer;
}

// The last run, unless it is shown already.
function showWires() {
  if (traceBytes && (!shown || shown[0] !== traceBytes)) return showPicture(traceBytes, null);
  return null;
}

// Goes to a cycle of the last run, if it is of what is in the editor.
function follow(cycle) {
  if (viewer && shown && shown[0] === traceBytes && programs.has(traceBytes) &&
      JSON.stringify(programs.get(traceBytes)) === JSON.stringify(programState())) viewer.choose({ "at-cycle": cycle });
}

const compare = () => { if (traceBefore && traceBytes) return showPicture(traceBefore, traceBytes, { span: "visible" }); };

// ---- files and links ----

async function open(list) {
  for (const file of list) {
    const path = "programs/examples/" + file.name;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (/\.json$/i.test(file.name) || isProgram(file.name)) replace(path, new TextDecoder().decode(bytes));
    else opened.set(path, bytes);
  }
  setState(opened.size ? `${opened.size} more files from disk` : "ready", false);
}

function saveFile() {
  const link = document.createElement("a");
  link.download = $("name").value.split("/").pop() || "workload.json";
  link.href = URL.createObjectURL(new Blob([$("text").value]));
  link.click();
}

// ---- the state of the page: links, the way back, and what stays over a reload ----

// What a run is made of.
function programState() {
  const name = $("name").value.trim(), text = $("text").value;
  return { file: name, ...(text === original(name) ? {} : { text }), ...($("nodes").value ? { nodes: $("nodes").value } : {}),
           ...($("set").value.trim() ? { set: $("set").value.trim().split(/\s+/) } : {}) };
}

// The program and the place in a lesson.
const placeState = () => ({ ...programState(), ...(window.cm200LessonsPage ? window.cm200LessonsPage.place() : {}) });

// What a link holds: the place, and what the viewer shows of which runs.
function pageState() {
  const state = placeState();
  if (!$("view-wires").hidden && viewer && shown && shown.every((bytes) => !bytes || programs.has(bytes))) {
    const made = shown.filter((bytes) => bytes).map((bytes) => programs.get(bytes));
    Object.assign(state, { text: undefined, nodes: undefined, set: undefined }, made[made.length - 1], viewer.options());
    if (made.length > 1) state.before = made[0];
  }
  return state;
}

function applyProgram(state) {
  const name = state.file || START;
  const text = state.text ?? original(name);
  if (text === undefined) throw new Error(`it names ${name}, which is not here`);
  show(name, text, original(name) ?? ""); // edits of an earlier visit are edits still
  $("nodes").value = state.nodes || "";
  if ($("nodes").value !== (state.nodes || "")) {
    const option = new Option(state.nodes, state.nodes);
    $("nodes").append(option);
    option.selected = true;
  }
  $("set").value = (state.set || []).join(" ");
  $("example").value = name in shipped ? name : "";
}

// Goes to a state. A state with a picture is run first.
async function apply(state) {
  const { PICTURE } = window.cm200Link, { before } = state;
  const picture = Object.fromEntries(PICTURE.filter((key) => key in state).map((key) => [key, state[key]]));
  applyProgram(state);
  if (window.cm200LessonsPage) window.cm200LessonsPage.show(state.lesson ? state : null);
  if (!before && !Object.keys(picture).length) return;
  if (before) {
    applyProgram(before);
    await run();
    applyProgram(state);
  }
  await run();
  if (traceBytes && lastResult) await showPicture(before ? traceBefore : traceBytes, before ? traceBytes : null, picture);
}

// The entry of the browser's history keeps its state when another one comes, so that Back finds the edits.
let started = false; // true when the last visit's state has been read: before, there is nothing to keep
const leave = () => { try { history.replaceState(placeState(), "", location.href); } catch { /* too long, or a page that may not */ } };
const arrive = () => {
  try { history.pushState(placeState(), "", location.pathname + location.search); } catch { /* likewise */ }
  save();
};

async function makeLink() {
  const { pack, unpack } = window.cm200Link;
  const fragment = await pack(pageState());
  try {
    await unpack(fragment); // what the page would refuse is no link
  } catch (error) {
    showError(`this cannot be a link: ${error.message}`, "");
    return;
  }
  history.replaceState(placeState(), "", "#" + fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    setState("link copied; it is in the address, too", false);
  } catch {
    setState("the link is in the address", false);
  }
}

// Goes where the address says, if it names a state.
async function followLink() {
  const fragment = location.hash.slice(1);
  if (fragment === "") return;
  try {
    await apply(await window.cm200Link.unpack(fragment));
  } catch (error) {
    showError("the link cannot be read: " + error.message, "");
  }
}

const KEPT = "cm200"; // the key of the browser's storage
function save() {
  clearTimeout(saving);
  if (!started) return;
  leave();
  try {
    const lessons = window.cm200LessonsPage ? window.cm200LessonsPage.answers() : {};
    localStorage.setItem(KEPT, JSON.stringify({ state: placeState(), lessons }));
  } catch { /* a browser that keeps nothing, or has no room */ }
}
function saveSoon() {
  clearTimeout(saving);
  saving = setTimeout(save, 300);
}

// Goes to the state of the address, or else to what the last visit left. Answers to lessons stay in both cases.
async function restore() {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem(KEPT));
  } catch { /* a browser that keeps nothing, or another program's text */ }
  if (kept && window.cm200LessonsPage) window.cm200LessonsPage.restore(kept.lessons || {});
  started = true;
  if (location.hash.length > 1) await followLink();
  else if (kept) await apply(kept.state).catch(() => {});
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
  $("example").onchange = () => {
    const chosen = $("example").value;
    if (!replace(chosen, shipped[chosen])) $("example").value = $("name").value in shipped ? $("name").value : "";
  };
  $("undo").onclick = undo;
  $("run").onclick = run;
  $("stop").onclick = stop;
  $("save").onclick = saveFile;
  $("compare").onclick = compare;
  $("link").onclick = makeLink;
  $("open").onchange = (event) => open(event.target.files);
  $("text").onscroll = followScroll;
  $("text").oninput = () => {
    clearError();
    if (location.hash) history.replaceState(placeState(), "", location.pathname + location.search); // no longer what the link shows
    saveSoon();
  };
  for (const id of ["name", "nodes", "set"]) $(id).onchange = saveSoon;
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
  window.addEventListener("popstate", (event) => {
    if (event.state) apply(event.state).catch((error) => showError(error.message, ""));
    else followLink();
  });
  window.addEventListener("pagehide", save);
}

async function start() {
  listen();
  select($("tab-text"));
  await new Promise((resolve) => setTimeout(resolve)); // the page is seen before the program is unpacked
  const parts = window.cm200Unpack(window.cm200Program), text = (bytes) => new TextDecoder().decode(bytes);
  shipped = JSON.parse(text(parts.files));
  worker = text(parts.worker);
  listExamples();
  show(START, shipped[START]);
  compiled(await compileProgram(parts));
  setState("ready", false);
  await restore();
}

// For the lessons and for tests.
window.cm200Page = { runEditor, follow, showError: (text) => showError(text, $("name").value.trim()), subject: () => JSON.stringify(programState()),
                     show: (name, text) => show(name, text), replace, leave, arrive, saveSoon, run, runCommands, isProgram, keepTrace, showPicture, result: () => lastResult,
                     get shipped() { return shipped; }, get viewer() { return viewer; } };
start().catch((error) => setState("cannot start: " + error.message, false));
})();
