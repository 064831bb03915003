// The page that `cm200 export --format html` writes: shows the one or two traces that it holds.
"use strict";
(async () => {
  const PIECE = 1 << 20; // characters of base64, a multiple of 4
  const $ = (id) => document.getElementById(id);

  function bytesOf(text) {
    const pieces = [];
    for (let at = 0; at < text.length; at += PIECE) pieces.push(Uint8Array.from(atob(text.slice(at, at + PIECE)), (c) => c.charCodeAt(0)));
    const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.reduce((at, piece) => { all.set(piece, at); return at + piece.length; }, 0);
    return all;
  }
  function trace(id) {
    const held = $(id);
    return held ? { name: held.dataset.name, bytes: bytesOf(held.textContent) } : null;
  }

  // The options behind # in the address: cycle, and those of cm200-view. The names of the runs are the page's.
  function options() {
    const { file, "second-file": second, ...given } = Object.fromEntries(
      new URLSearchParams(location.hash.slice(1).replace(/(^|&)cycle=/g, "$1at-cycle=")));
    return given;
  }

  const viewer = new window.cm200Viewer($("viewer"), async (scale) => (scale === 1 ? window.cm200View : window.cm200View2));
  window.cm200Exported = viewer;
  try {
    const first = trace("trace-1"), second = trace("trace-2");
    document.title = $("name").textContent = second ? `${first.name} and ${second.name}` : first.name;
    await viewer.open(first.bytes, second && second.bytes, { file: first.name, "second-file": second ? second.name : "", ...options() });
    window.addEventListener("hashchange", () => viewer.choose(options()));
    $("made-of").textContent = viewer.madeOf(0) + (second ? "\n" + viewer.madeOf(1) : "");
    viewer.canvas.focus();
  } catch (error) {
    viewer.note.textContent = typeof WebAssembly === "undefined" ? "This browser has no WebAssembly." : String(error.message || error);
  }
})();
