// Stepping through a program in the page: cm200 debug with commands from a list. Each command is added to the list, and the program
// is executed again with all of them, which gives the same every time: so a step back is a command like any other. Behind the list
// come commands that show the state: source, registers, transposers. docs/debug.md has the commands.
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const page = window.cm200Page;
const BUTTONS = [["Step", "step"], ["Next", "next"], ["Line", "line"], ["Continue", "continue"], ["\u2190 Back", "back"], ["To the start", "back start"]];
const STATE = [["Source", "list"], ["Place", "where"], ["Address registers", "print r"], ["FPU registers", "print f"], ["Transposer A", "print A"],
               ["Transposer B", "print B"], ["Transposer C", "print C"], ["Cycles by cause", "info causes"]];
let commands = []; // that were given, in order
let subject = ""; // what they were given to: the state of the program, as text

function element(name, text, properties = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  return Object.assign(made, properties);
}

const log = element("pre", "", { id: "debug-log", tabIndex: 0 });
const state = element("div", "", { id: "debug-state", tabIndex: 0 });
const input = element("input", "", { id: "debug-command", placeholder: "break exchange", spellcheck: false, autocapitalize: "off",
                                     ariaLabel: "Command of the debugger; help lists them" });
const buttons = [];

// The parts of what was printed: before the first command, and for each command its line and its output.
const partsOf = (text) => text.split(/^\(cm200\) /m);

function show(parts) {
  const given = parts.slice(0, commands.length + 1);
  log.textContent = given.map((part, i) => (i ? "> " : "") + part).join("").trimEnd();
  log.scrollTop = log.scrollHeight;
  state.replaceChildren(...STATE.flatMap(([title], i) => {
    const part = parts[commands.length + 1 + i];
    // there is no source yet, for one
    return part === undefined || /^command:\d/m.test(part) ? []
      : [element("h3", title), element("pre", part.slice(part.indexOf("\n") + 1).trimEnd())];
  }));
  const cycle = /^cycle ([\d,]+)/m.exec(given[given.length - 1]);
  if (cycle) page.follow(Number(cycle[1].replace(/,/g, "")));
}

// Executes the program with the commands of the list.
async function execute() {
  for (const one of buttons) one.disabled = true;
  const answer = await page.runEditor(["debug"], [...commands, ...STATE.map(([, command]) => command)].join("\n") + "\n");
  for (const one of buttons) one.disabled = false;
  if (answer.crash === "stopped") commands.pop();
  if (answer.crash) {
    log.textContent += `\n${answer.crash}`;
    return;
  }
  const parts = partsOf(answer.results[0].out);
  if (parts.length === 1) { // no prompt: the program did not begin
    commands = [];
    state.replaceChildren();
    log.textContent = answer.results[0].out;
    page.showError(answer.results[0].out);
    return;
  }
  show(parts);
}

async function give(command) {
  if (buttons[0].disabled) return; // it still runs
  const now = page.subject();
  if (now !== subject) commands = []; // another program begins at its start
  subject = now;
  if (command === "back start") commands = commands.filter((one) => /^(break|b|node)\b/.test(one));
  else if (command) commands.push(command);
  await execute();
}

function build() {
  const tools = element("form", "", { className: "tools" });
  for (const [text, command] of BUTTONS) {
    const made = element("button", text, { type: "button", title: command, onclick: () => give(command) });
    made.dataset.command = command;
    buttons.push(made);
    tools.append(made);
  }
  tools.append(input);
  tools.onsubmit = (event) => {
    event.preventDefault();
    const command = input.value.trim();
    input.value = "";
    if (command) give(command);
  };
  $("view-debug").replaceChildren(tools, element("div", "", { className: "debugger" }));
  $("view-debug").lastChild.append(log, state);
}

build();
window.cm200Debug = { open: () => { if (page.subject() !== subject) give(""); } };
})();
