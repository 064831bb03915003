// Lessons beside the editor: docs/lessons/README.md has their format. A command runs in a worker as any run does; a question is
// asked before it; the task judges what is in the editor. lessons-data.js has their texts, files and pictures.
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const page = window.cm200Page;
const { lessons, files } = window.cm200Lessons;
let openLesson = null; // {number, article, state} of the lesson that is open
let kept = {}; // the answers of each lesson, by its path: {index of the question: text}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function button(text, action) {
  const made = element("button", text);
  made.type = "button";
  made.onclick = action;
  return made;
}

// ---- expressions: NUMBER, NAME:/json/pointer, least or most NAME:/a/@/b, + - * / ( ), with blanks between ----

function pointer(value, path) {
  for (const part of path.split("/").slice(1)) {
    const key = part.replace(/~1/g, "/").replace(/~0/g, "~");
    if (value === null || typeof value !== "object" || !(key in value)) throw new Error("there is no " + path);
    value = value[key];
  }
  return value;
}

function sourceOf(word, results) {
  const name = word.slice(0, word.indexOf(":"));
  const source = name.endsWith(".json") ? JSON.parse(files[name] ?? page.shipped[name]) : results[name];
  if (source === undefined) throw new Error("run " + name + " first");
  return source;
}

// The least or the largest of the numbers of a word in which @ stands for every index of a list.
function extreme(which, word, results) {
  const [before, after] = word.slice(word.indexOf(":") + 1).split("/@");
  return which(...pointer(sourceOf(word, results), before).map((member) => pointer(member, after)));
}

function operand(word, results) {
  if (/^-?[0-9.]+$/.test(word)) return Number(word);
  const value = pointer(sourceOf(word, results), word.slice(word.indexOf(":") + 1));
  return typeof value === "boolean" ? Number(value) : value !== null && typeof value === "object" ? Object.keys(value).length : value;
}

// The value of an expression. `results` are those of the commands that have run, by their names.
function evaluate(expression, results) {
  const words = expression.trim().split(/\s+/);
  const factor = () => {
    const word = words.shift();
    if (word === "least" || word === "most") return extreme(word === "least" ? Math.min : Math.max, words.shift(), results);
    if (word !== "(") return operand(word, results);
    const value = sum();
    words.shift();
    return value;
  };
  const product = () => {
    let value = factor();
    while (words[0] === "*" || words[0] === "/") value = words.shift() === "*" ? value * factor() : value / factor();
    return value;
  };
  const sum = () => {
    let value = product();
    while (words[0] === "+" || words[0] === "-") value = words.shift() === "+" ? value + product() : value - product();
    return value;
  };
  return sum();
}

// The names of the commands that an expression needs.
const needs = (expression) => expression.split(/\s+/).filter((word) => word.includes(":/"))
  .map((word) => word.slice(0, word.indexOf(":"))).filter((name) => !name.endsWith(".json"));

// ---- blocks ----

// "key: value" lines; a value goes on in lines that begin with blanks. Keys may come several times.
function readKeys(lines) {
  const keys = [];
  for (const line of lines) {
    if (/^\s/.test(line) && keys.length) keys[keys.length - 1][1] += " " + line.trim();
    else if (line.trim()) keys.push([line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  }
  return { all: (name) => keys.filter(([key]) => key === name).map(([, value]) => value),
           get: (name) => (keys.find(([key]) => key === name) || [])[1] };
}

const wordsOf = (line) => line.trim().replace(/^\$ */, "").replace(/^cm200\s+/, "").split(/\s+/).filter((word) => word);

// A command that can be changed and run again. Its answer counts for the lesson where it is as the lesson has it.
function commandBlock(name, lines, state) {
  const block = element("form", undefined, "command");
  const input = element("input"), out = element("pre", undefined, "output");
  const text = lines[0].replace(/^\$ /, ""), first = wordsOf(text);
  const file = first.find((word) => word in files && /\.(json|fcm|f90|imp)$/.test(word));
  const run = element("button", "Run"), see = button("See it in the viewer", null);
  const follow = () => { reset.hidden = input.value === text; };
  const reset = button("As it was", () => { input.value = text; follow(); });
  input.value = text;
  input.setAttribute("aria-label", "Command");
  input.spellcheck = false;
  input.autocapitalize = "off";
  input.oninput = follow;
  out.hidden = see.hidden = reset.hidden = true;
  if (name) state.names.add(name);
  block.onsubmit = async (event) => {
    event.preventDefault();
    const words = wordsOf(input.value), counts = name && input.value === text;
    const traced = words[0] === "run" && !words.includes("--table") && !words.includes("--trace");
    const shown = traced ? [...words, "--trace", TRACE] : words;
    const runs = (counts ? [shown, [...words, "--json"]] : [shown]).map((r) => [...r, ...(canThread(r) ? ["--threads", "1"] : [])]);
    run.disabled = true;
    out.hidden = false;
    out.textContent = "running";
    const { results: found, crash } = await page.runCommands(runs, { ...files, ...state.written });
    const trace = found[0] && traceOf(found[0]);
    out.textContent = crash || (found[0] ? found[0].out + found[0].err : "");
    for (const { path, bytes } of found[0] ? found[0].made : []) state.written[path.replace(/^\/cm200\//, "")] = bytes;
    if (counts && found[1] && found[1].code === 0) state.results[name] = JSON.parse(found[1].out);
    state.answered();
    if (trace) {
      page.keepTrace(trace, words.find((word) => word in files) || words[1]);
      see.hidden = false;
      see.onclick = () => page.showPicture(trace, null);
      if (!$("view-wires").hidden) await see.onclick();
    }
    run.disabled = false;
  };
  run.dataset.command = name || first[0];
  block.append(input, run, " ", reset, " ", see);
  if (first[0] === "run" && file) block.append(" ", button("Edit", () => edit(file, files[file])));
  block.append(out);
  return block;
}

// ---- pictures that live ----

const TRACE = "lesson.trace";
const traceOf = (run) => (run.made.find((file) => file.path.endsWith("/" + TRACE)) || {}).bytes;

// What a picture's command names: the runs, and how they are shown.
function readPicture(line) {
  const words = line.slice(2).split(" ").slice(1), runs = [], options = {};
  for (let i = 0; i < words.length; i++) {
    const option = words[i].startsWith("--") ? words[i].slice(2) : null;
    if (!option) runs.unshift(words[i]);
    else if (option === "compare") runs.push(words[++i]);
    else if (option !== "screenshot") options[option] = words[++i];
    else i++;
  }
  return { runs, options };
}

// Runs what the picture shows, and opens the viewer as its command does.
async function openPicture(line) {
  const { runs, options } = readPicture(line), traces = [];
  for (const file of runs) {
    const { results: found, crash } = await page.runCommands([["run", file, "--trace", TRACE, "--threads", "1"]], files);
    if (crash || !found[0] || !traceOf(found[0])) throw new Error(crash || (found[0] ? found[0].err : "no run"));
    traces.push(traceOf(found[0]));
  }
  return page.showPicture(traces[0], traces[1] || null, { ...options, file: runs[0], ...(runs[1] ? { "second-file": runs[1] } : {}) });
}

function pictureBlock(lines) {
  const told = element("span", "", "note");
  const open = button("Open this picture in the viewer", async () => {
    open.disabled = true;
    told.textContent = " running";
    try {
      await openPicture(lines[0]);
      told.textContent = "";
    } catch (error) {
      told.textContent = " " + error.message;
    }
    open.disabled = false;
  });
  open.dataset.picture = lines[0];
  const made = element("p");
  made.append(open, told);
  return made;
}

// All that run take it, and tables too; the others have no threads.
const canThread = (words) => ["run", "shift", "route", "reshape", "fft"].includes(words[0]) && !words.includes("--table");

function questionBlock(lines, state) {
  const keys = readKeys(lines);
  const made = element("form", undefined, "question");
  const input = element("input");
  const told = element("p", undefined, "note");
  told.setAttribute("role", "status");
  input.size = 12;
  input.setAttribute("aria-label", "Your answer");
  made.append(element("p", keys.get("ask")), input, " " + (keys.get("unit") || "") + " ", element("button", "Predict"), told);
  const index = state.guesses++;
  let guess = (kept[state.path] || {})[index] ?? null;
  input.value = guess ?? "";
  const judge = () => {
    if (guess === null) return;
    if (needs(keys.get("answer")).some((name) => !(name in state.results))) {
      told.textContent = `You expect ${guess}. Now run the command.`;
      return;
    }
    const is = evaluate(keys.get("answer"), state.results), near = Number(keys.get("near") || 0) / 100;
    const shown = typeof is === "number" ? Number(is.toFixed(2)) : is;
    const right = typeof is === "number" ? Math.abs(Number(guess.replace(/,/g, "")) - is) <= Math.max(near * Math.abs(is), Number.isInteger(is) ? 0 : 0.005)
      : guess.toLowerCase() === String(is).toLowerCase();
    made.dataset.right = right;
    told.textContent = `You expected ${guess}; it is ${shown}${right ? ": right." : "."}`;
  };
  made.onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim() !== "") guess = input.value.trim();
    judge();
    (kept[state.path] = kept[state.path] || {})[index] = guess;
    page.saveSoon();
  };
  made.dataset.answer = keys.get("answer");
  state.questions.push(judge);
  return made;
}

// Judges a file as `cm200 lesson NUMBER --check` does: {passed, points, points_of, reasons}.
async function judgeTask(path, name, text) {
  const number = lessons.findIndex((lesson) => lesson.path === path) + 1;
  const texts = Object.fromEntries(lessons.map((lesson) => [lesson.path, lesson.text]));
  texts["docs/lessons/README.md"] = ""; // where it is, cm200 finds the lessons
  const { results: found, crash } = await page.runCommands([["lesson", String(number), "--check", name, "--json"]],
    { ...files, ...texts, [name]: text });
  try {
    return JSON.parse(found[0].out);
  } catch {
    return { passed: false, reasons: [crash || found[0].err || "it failed"] };
  }
}

function taskBlock(lines, state) {
  const keys = readKeys(lines);
  const made = element("div", undefined, "task");
  const told = element("p", undefined, "note");
  told.setAttribute("role", "status");
  made.append(element("p", keys.get("ask")));
  made.append(element("p", ["machine", "nodes", "limit"].filter((key) => keys.get(key)).map((key) => `${key}: ${keys.all(key).join(", ")}`).join("; "), "note"));
  const start = keys.get("start") || keys.get("reference");
  made.append(button("Start from the reference", () => edit("docs/lessons/mine" + start.slice(start.lastIndexOf(".")), files[start])));
  const check = button("Check what is in the editor", async () => {
    check.disabled = true;
    told.textContent = "running";
    const { passed, points, points_of: most, reasons } = await judgeTask(state.path, $("name").value.trim(), $("text").value);
    made.dataset.passed = passed;
    told.textContent = (passed ? "Passed." : "Not yet: " + reasons.join("; ")) + (most ? ` ${points} of ${most} points` : "");
    check.disabled = false;
  });
  made.append(" ", check, told);
  made.dataset.solution = keys.get("solution");
  return made;
}

// ---- Markdown, as far as lessons use it ----

// `code`, *emphasis*, **strong**, [links](to), ![pictures](file); the marks of results are left out.
function inline(text, folder) {
  const made = document.createDocumentFragment();
  const plain = text.replace(/<!--=.*?-->/g, "");
  const pattern = /`([^`]+)`|!\[([^\]]*)\]\(([^)]+)\)|\[([^\]]+)\]\(([^)]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g;
  let at = 0;
  for (const found of plain.matchAll(pattern)) {
    made.append(plain.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1] !== undefined) made.append(element("code", found[1]));
    else if (found[3] !== undefined) {
      const picture = element("img");
      picture.alt = found[2];
      picture.src = "data:image/png;base64," + files[folder + found[3]];
      made.append(picture);
    } else if (found[5] !== undefined) made.append(link(found[4], found[5], folder));
    else if (found[6] !== undefined) made.append(element("strong", found[6]));
    else made.append(element("em", found[7]));
  }
  made.append(plain.slice(at));
  return made;
}

// To another lesson, or nowhere: the other pages of the manual are not here.
function link(text, to, folder) {
  const path = new URL(to, "file:///" + folder).pathname.slice(1);
  const other = lessons.findIndex((lesson) => lesson.path === path);
  if (other < 0 && !/^https?:/.test(to)) return element("span", text);
  const made = element("a", text);
  made.href = other < 0 ? to : "#";
  if (other >= 0) made.onclick = (event) => { event.preventDefault(); open(other); };
  return made;
}

function table(lines, folder) {
  const made = element("table");
  const cells = (line) => line.replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
  const fill = (row, line, kind) => cells(line).forEach((text) => {
    const cell = element(kind);
    cell.append(inline(text, folder));
    row.append(cell);
  });
  fill(made.createTHead().insertRow(), lines[0], "th");
  for (const line of lines.slice(2)) fill(made.insertRow(), line, "td");
  return made;
}

function fence(head, lines, folder, state) {
  const [kind, name] = head.split(" ");
  if (kind === "command") return commandBlock(name, lines, state);
  if (kind === "question") return questionBlock(lines, state);
  if (kind === "task") return taskBlock(lines, state);
  if (kind === "picture") return pictureBlock(lines);
  return element("pre", lines.join("\n"));
}

// Text with results is hidden until their commands have run: first comes the student's own answer.
function later(made, text, state) {
  const names = [...text.matchAll(/<!--=(.*?)-->/g)].flatMap((found) => needs(found[1]));
  const wait = element(made.tagName, "The text goes on here when the command has run.", "note wait");
  state.questions.push(() => {
    made.hidden = !state.all && names.some((name) => state.names.has(name) && !(name in state.results));
    wait.hidden = !made.hidden;
  });
  return [wait, made];
}

// A block of the text: its lines, up to an empty one or the beginning of another block.
function paragraph(lines, folder, state) {
  const whole = lines.join("\n");
  if (lines[0].startsWith("|")) return later(table(lines, folder), whole, state);
  if (/^[*-] /.test(lines[0])) {
    const list = element("ul");
    for (const item of whole.split(/\n(?=[*-] )/)) {
      const made = element("li");
      made.append(inline(item.slice(2).replace(/\n\s*/g, " "), folder));
      list.append(...later(made, item, state));
    }
    return [list];
  }
  const made = element("p");
  made.append(inline(lines.join(" "), folder));
  return later(made, whole, state);
}

function render(text, folder, state) {
  const made = document.createDocumentFragment();
  const lines = text.split("\n");
  let waiting = [];
  const flush = () => {
    if (waiting.length) made.append(...paragraph(waiting, folder, state));
    waiting = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const heading = /^(#+) (.*)/.exec(lines[i]);
    if (lines[i].startsWith("```")) {
      const end = lines.indexOf("```", i + 1);
      flush();
      made.append(fence(lines[i].slice(3), lines.slice(i + 1, end), folder, state));
      i = end;
    } else if (heading) {
      flush();
      made.append(element("h" + (heading[1].length + 1), heading[2]));
    } else if (lines[i].startsWith("    ") && waiting.length === 0) {
      let end = i;
      while (end < lines.length && (lines[end].startsWith("    ") || lines[end].trim() === "")) end++;
      made.append(element("pre", lines.slice(i, end).map((line) => line.slice(4)).join("\n").trimEnd()));
      i = end - 1;
    } else if (lines[i].trim() === "") flush();
    else waiting.push(lines[i]);
  }
  flush();
  return made;
}

// ---- the panel ----

// A lesson has the room of the editor, until something is to be edited.
function edit(name, text) {
  if (!page.replace(name, text)) return;
  document.body.classList.add("edit");
  $("tab-text").click();
}

// The number of the open lesson, from 1, and of the block at the top of the window.
function place() {
  if (!openLesson) return null;
  const top = Math.max(0, $("lessons").getBoundingClientRect().top);
  const part = [...openLesson.article.children].findIndex((child) => child.getBoundingClientRect().bottom > top + 4);
  return { lesson: String(openLesson.number + 1), part: String(Math.max(0, part)) };
}

// Goes to a place; null: to the list.
function show(where) {
  if (!where) {
    if (openLesson) drawList();
    return;
  }
  const number = Number(where.lesson) - 1;
  if (!lessons[number]) throw new Error(`it names lesson ${where.lesson}, and there are ${lessons.length}`);
  if (!openLesson || openLesson.number !== number) draw(number);
  const child = openLesson.article.children[Number(where.part || 0)];
  if (child) child.scrollIntoView();
}

function draw(number) {
  const { path, text } = lessons[number];
  // questions: what to look at again when a command has run; guesses: how many questions there are; names: of the commands that
  // run here; all: whether all text is shown; results: the JSON of the commands that have run, by name; written: the files that
  // they wrote, by path
  const state = { path, questions: [], guesses: 0, names: new Set(), all: false, results: {}, written: {},
                  answered: () => state.questions.forEach((judge) => judge()) };
  const article = element("article");
  const showAll = button("Show all text", () => { state.all = true; state.answered(); });
  article.append(button("All lessons", list), " ", showAll, render(text, path.slice(0, path.lastIndexOf("/") + 1), state));
  state.answered();
  if (number + 1 < lessons.length) article.append(button("Next lesson", () => open(number + 1)));
  openLesson = { number, article, state };
  $("lessons").replaceChildren(article);
  $("lessons").className = "open";
  $("lessons").scrollTop = 0;
  document.body.className = "lesson";
  $("tab-wires").click();
}

function drawList() {
  const items = element("ol");
  lessons.forEach((lesson, number) => {
    const item = element("li");
    item.append(button(lesson.title.replace(/^\d+\. /, ""), () => open(number)));
    items.append(item);
  });
  openLesson = null;
  $("lessons").replaceChildren(element("h2", "Lessons"), items);
  $("lessons").className = document.body.className = "";
}

// What the user does, which Back takes back.
function open(number) {
  page.leave();
  draw(number);
  page.arrive();
}
function list() {
  page.leave();
  drawList();
  page.arrive();
}

$("lessons").hidden = false;
$("lessons").onscroll = () => page.saveSoon();
$("edit").onclick = () => document.body.classList.toggle("edit");
drawList();
window.cm200LessonsPage = { open, place, show, results: () => openLesson.state.results, evaluate: (text) => evaluate(text, openLesson.state.results), answers: () => kept,
                            restore: (answers) => { kept = answers; } };
})();
