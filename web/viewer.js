// The viewer: a row of controls and a canvas that the C code of viz/ draws into (viz/web/page.h). Used by the page and by what
// `cm200 export --format html` writes. No framework; cm200Unpack (unpack.js) unpacks the module.
"use strict";
(() => {
const LONGEST_STEP = 0.1; // seconds: after a pause of the browser, play goes on where it was
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const STEPS = [["exchange", "Ctrl+"], ["instruction", "Shift+"], ["cycle", ""]];
const NAMES = { " ": "Space", ArrowLeft: "Left", ArrowRight: "Right", ArrowUp: "Up", ArrowDown: "Down", Enter: "Return", Esc: "Escape",
                "=": "+" };

function element(name, text, properties = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  return Object.assign(made, properties);
}

// The name of a key as viz/control/keys.h has it; null: it is the browser's.
function keyName(event) {
  if (event.altKey || event.metaKey || event.isComposing) return null;
  let base = NAMES[event.key] || event.key;
  if (base.length > 1 && !/^(Space|Left|Right|Up|Down|Return|Escape|Tab|Backspace|Home|End|Page(Up|Down)|F\d+)$/.test(base)) return null;
  const letter = /^[a-z]$/i.test(base);
  if (letter) base = base.toUpperCase();
  const shift = event.shiftKey && (letter || base.length > 1); // on some keyboards signs and digits need Shift
  return (event.ctrlKey ? "Ctrl+" : "") + (shift ? "Shift+" : "") + base;
}

// An instance of the module, of the packed text that scripts/web made.
async function instance(packed) {
  const parts = window.cm200Unpack(packed);
  const create = new Function(new TextDecoder().decode(parts.script) + "\nreturn createCm200View;")();
  const module = await create({ wasmBinary: parts.wasm });
  addGlyphs(module, parts.glyphs);
  return module;
}

function addGlyphs(module, glyphs) {
  module._cm_web_glyphs(give(module, glyphs), glyphs.length);
}

const isDense = () => window.devicePixelRatio >= 1.5;

// Copies bytes into the module's memory.
function give(module, bytes) {
  const at = module._malloc(bytes.length || 1);
  if (at === 0) throw new Error("out of memory");
  module.HEAPU8.set(bytes, at);
  return at;
}

class Viewer {
  // Fills `place`, an empty element. `load(1)` gives the packed module, `load(2)` the glyphs for two pixels a point.
  constructor(place, load) {
    this.load = load;
    this.size = null; // [width, height] of the picture in points; null: what the pane has
    this.drawn = 0;
    this.dragged = false;
    this.build(place);
    this.listen();
  }

  build(place) {
    this.tools = element("div", "", { className: "viewer-tools" });
    this.play = element("button", "Play", { type: "button", title: "Space" });
    this.back = element("button", "\u2190 Step", { type: "button", title: "a step back" });
    this.forward = element("button", "Step \u2192", { type: "button", title: "a step forward" });
    this.by = element("select", "", { ariaLabel: "Step by" });
    for (const [name] of STEPS) this.by.append(element("option", name, { value: name }));
    this.scrub = element("input", "", { type: "range", min: 0, max: 0, value: 0, step: 1, ariaLabel: "Cycle" });
    this.readout = element("output");
    this.speed = element("select", "", { ariaLabel: "Speed" });
    for (const speed of SPEEDS) this.speed.append(element("option", speed + "x", { value: String(speed) }));
    this.keys = element("button", "Keys", { type: "button", title: "H" });
    this.tools.append(this.play, this.back, this.by, this.forward, this.scrub, this.readout, this.speed, this.keys);
    this.note = element("p", "", { className: "viewer-note" });
    this.note.setAttribute("role", "status");
    this.pane = element("div", "", { className: "viewer-picture" });
    this.canvas = element("canvas", "", { tabIndex: 0, ariaLabel: "The run, cycle by cycle; H lists the keys" });
    this.canvas.setAttribute("role", "application");
    this.pane.append(this.canvas);
    place.classList.add("viewer");
    place.replaceChildren(this.tools, this.note, this.pane);
  }

  key(name, again = false) {
    if (!this.module) return false;
    const known = this.module.ccall("cm_web_key", "number", ["string", "number"], [name, again ? 1 : 0]) !== 0;
    this.update();
    return known;
  }

  value(which) {
    return this.module._cm_web_value(which);
  }
  get cycle() { return this.value(0); }
  get cycles() { return this.value(1); }
  get playing() { return this.value(2) !== 0; }

  step(direction) {
    const [, modifier] = STEPS.find(([name]) => name === this.by.value);
    this.key(modifier + direction);
  }

  setSpeed(speed) {
    for (let i = 0; i < SPEEDS.length && this.value(3) !== speed; i++) this.key(this.value(3) < speed ? "." : ",");
  }

  // Where the pointer is, in pixels of the picture.
  at(event) {
    const place = this.canvas.getBoundingClientRect();
    return [Math.floor((event.clientX - place.left) * this.scale), Math.floor((event.clientY - place.top) * this.scale)];
  }

  listenToMouse() {
    const { canvas } = this;
    const point = (name) => (event) => {
      if (!this.module) return;
      this.module["_cm_web_" + name](...this.at(event));
      this.update();
    };
    canvas.onpointermove = point("motion");
    canvas.onpointerdown = (event) => {
      if (event.button !== 0) return;
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
      point("press")(event);
    };
    canvas.onpointerup = canvas.onpointercancel = () => { if (this.module) this.module._cm_web_release(); };
    canvas.onpointerleave = () => { if (this.module) { this.module._cm_web_leave(); this.update(); } };
    canvas.addEventListener("wheel", (event) => {
      if (!this.module || event.ctrlKey) return;
      event.preventDefault();
      const across = event.shiftKey ? event.deltaY + event.deltaX : event.deltaX;
      this.module._cm_web_wheel(...this.at(event), event.shiftKey ? 0 : -Math.sign(event.deltaY), Math.sign(across));
      this.update();
    }, { passive: false });
  }

  listen() {
    this.play.onclick = () => this.key("Space");
    this.back.onclick = () => this.step("Left");
    this.forward.onclick = () => this.step("Right");
    this.keys.onclick = () => this.key("H");
    this.scrub.oninput = () => { if (this.module) { this.module._cm_web_go(Number(this.scrub.value)); this.update(); } };
    this.speed.onchange = () => this.setSpeed(Number(this.speed.value));
    this.canvas.onkeydown = (event) => {
      const name = keyName(event);
      if (!this.module || !name || !this.key(name, event.repeat)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.listenToMouse();
    new ResizeObserver(() => { this.resized = true; this.update(); }).observe(this.pane);
  }

  // Shows a trace, and a second beside it. `options` are those of cm200-view: panel, layout, palette, span, at-cycle, pin, size (where
  // it has the room).
  async open(first, second = null, options = {}) {
    if (!this.module) this.module = await instance(await this.load(1));
    await this.addDense();
    const given = [give(this.module, first), first.length, second ? give(this.module, second) : 0, second ? second.length : 0];
    const opened = this.module._cm_web_open(...given) !== 0;
    this.tell();
    if (!opened) throw new Error(this.note.textContent);
    this.size = null;
    this.choose(options);
  }

  // Shows the open runs with other options.
  choose(options) {
    for (const [name, value] of Object.entries(options)) {
      if (name === "size") {
        const size = value.split("x").map(Number);
        if (size[0] <= this.pane.clientWidth) this.size = size;
      } else this.module.ccall("cm_web_set", "number", ["string", "string"], [name, String(value)]);
    }
    this.resized = true;
    this.draw();
    this.update();
  }

  // The glyphs of a dense display, when there is one.
  async addDense() {
    if (this.dense || !isDense()) return;
    this.dense = true;
    addGlyphs(this.module, window.cm200Unpack(await this.load(2)).glyphs);
    this.sharp = true;
    this.resized = true;
  }

  tell() {
    this.note.textContent = this.module.ccall("cm_web_text", "string");
  }

  // Draws when the browser is ready, and goes on while it plays.
  update() {
    if (!this.module || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      if (this.playing) this.module._cm_web_advance(Math.min(LONGEST_STEP, this.before ? (now - this.before) / 1000 : 0));
      this.before = this.playing ? now : 0;
      if (this.resized || this.module._cm_web_changed()) this.draw();
      if (this.playing) this.update();
    });
  }

  // What the pane has, in points.
  room() {
    return this.size || [Math.max(64, Math.floor(this.pane.clientWidth)), Math.max(64, Math.floor(this.pane.clientHeight))];
  }

  draw() {
    this.scale = this.sharp && isDense() ? 2 : 1;
    if (isDense() && !this.dense) this.addDense().then(() => this.update());
    const [width, height] = this.room(), w = width * this.scale, h = height * this.scale;
    const at = this.module._cm_web_draw(w, h, this.scale);
    this.resized = false;
    if (at === 0) {
      this.tell();
      return;
    }
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h });
    Object.assign(this.canvas.style, { width: width + "px", height: height + "px" });
    this.canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(this.module.HEAPU8.buffer, at, w * h * 4), w, h), 0, 0);
    this.drawn++;
    this.show();
    this.answer();
  }

  // The controls have what the picture has.
  show() {
    const last = Math.max(0, this.cycles - 1);
    this.play.textContent = this.playing ? "Pause" : "Play";
    this.scrub.max = last;
    this.scrub.value = this.cycle;
    this.speed.value = String(this.value(3));
    this.readout.textContent = `cycle ${this.cycle.toLocaleString("en")} of ${last.toLocaleString("en")}`;
  }

  // What keys ask of the window.
  answer() {
    if (this.value(6)) {
      this.canvas.toBlob((blob) => {
        const link = element("a", "", { download: `cm200-view-cycle-${this.cycle}.png`, href: URL.createObjectURL(blob) });
        link.click();
      });
    }
    if (this.value(7)) this.play.focus();
  }

  // The options that show the same picture of the same runs.
  options() {
    return this.module ? Object.fromEntries(new URLSearchParams(this.module.ccall("cm_web_options", "string"))) : {};
  }

  madeOf(run = 0) {
    return this.module.ccall("cm_web_made_of", "string", ["number"], [run]);
  }
}

window.cm200Viewer = Viewer;
})();
