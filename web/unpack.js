// Unpacks what scripts/web packed: base64 of an LZMA stream (the .lzma format, its length known), a seventh smaller than gzip's, of parts:
// a line of JSON with the name and length of each, then their bytes. Written after the LZMA specification.
"use strict";
(() => {
const STATES = 12, LENGTHS = 2 + 2 * 128 + 256;

// The decoder: bits by the probabilities that it learns, which lie in one array.
function unlzma(bytes) {
  const lc = bytes[0] % 9, lp = Math.floor(bytes[0] / 9) % 5, pb = Math.floor(bytes[0] / 45);
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(5, true);
  const out = new Uint8Array(size);
  let used = 0;
  const place = (count) => { used += count; return used - count; };
  const isMatch = place(STATES << 4), isRep = place(STATES), isRep0 = place(STATES), isRep1 = place(STATES), isRep2 = place(STATES),
    isRep0Long = place(STATES << 4), slots = place(4 << 6), far = place(128), align = place(16), matchLength = place(LENGTHS),
    repLength = place(LENGTHS), literals = place(0x300 << (lc + lp));
  const odds = new Uint16Array(used).fill(1024);
  let range = 0xffffffff, code = 0, from = 14;
  for (let i = 0; i < 4; i++) code = ((code << 8) | bytes[from++]) >>> 0;

  function normalize() {
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | bytes[from++]) >>> 0;
    }
  }
  function bit(at) {
    const odd = odds[at], bound = (range >>> 11) * odd;
    let found = 0;
    if (code < bound) {
      range = bound;
      odds[at] = odd + ((2048 - odd) >> 5);
    } else {
      range -= bound;
      code -= bound;
      odds[at] = odd - (odd >> 5);
      found = 1;
    }
    normalize();
    return found;
  }
  function tree(at, bits) {
    let node = 1;
    for (let i = 0; i < bits; i++) node = 2 * node + bit(at + node);
    return node - (1 << bits);
  }
  function treeFromLow(at, bits) {
    let node = 1, value = 0;
    for (let i = 0; i < bits; i++) {
      const found = bit(at + node);
      node = 2 * node + found;
      value |= found << i;
    }
    return value;
  }
  function even(bits) {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      range >>>= 1;
      const found = code >= range ? 1 : 0;
      if (found) code -= range;
      value = 2 * value + found;
      normalize();
    }
    return value;
  }
  function length(at, position) {
    if (!bit(at)) return 2 + tree(at + 2 + (position << 3), 3);
    if (!bit(at + 1)) return 10 + tree(at + 130 + (position << 3), 3);
    return 18 + tree(at + 258, 8);
  }
  function distance(matched) {
    const slot = tree(slots + (Math.min(matched - 2, 3) << 6), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + treeFromLow(far + base - slot, bits);
    return base + even(bits - 4) * 16 + treeFromLow(align, 4);
  }

  let state = 0, at = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;
  const posMask = (1 << pb) - 1, literalMask = (1 << lp) - 1;
  function literal() {
    const before = at > 0 ? out[at - 1] : 0;
    const own = literals + 0x300 * (((at & literalMask) << lc) + (before >> (8 - lc)));
    let symbol = 1;
    if (state >= 7) {
      let match = out[at - rep0 - 1];
      do {
        const want = (match >> 7) & 1;
        match <<= 1;
        const found = bit(own + ((1 + want) << 8) + symbol);
        symbol = 2 * symbol + found;
        if (found !== want) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = 2 * symbol + bit(own + symbol);
    out[at++] = symbol & 0xff;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }
  function chooseRep() {
    if (!bit(isRep1 + state)) {
      [rep0, rep1] = [rep1, rep0];
    } else if (!bit(isRep2 + state)) {
      [rep0, rep1, rep2] = [rep2, rep0, rep1];
    } else {
      [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
    }
  }
  while (at < size) {
    const position = at & posMask;
    if (!bit(isMatch + (state << 4) + position)) {
      literal();
      continue;
    }
    let count;
    if (!bit(isRep + state)) {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      count = length(matchLength, position);
      state = state < 7 ? 7 : 10;
      rep0 = distance(count);
    } else if (bit(isRep0 + state)) {
      chooseRep();
      count = length(repLength, position);
      state = state < 7 ? 8 : 11;
    } else if (bit(isRep0Long + (state << 4) + position)) {
      count = length(repLength, position);
      state = state < 7 ? 8 : 11;
    } else {
      count = 1;
      state = state < 7 ? 9 : 11;
    }
    if (rep0 >= at) throw new Error("the packed data are damaged");
    for (const end = Math.min(at + count, size); at < end; at++) out[at] = out[at - rep0 - 1];
  }
  return out;
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

// The parts by name, as bytes.
window.cm200Unpack = (text) => {
  const bytes = unlzma(fromBase64(text));
  const line = bytes.indexOf(10);
  const parts = {};
  let at = line + 1;
  for (const [name, length] of JSON.parse(new TextDecoder().decode(bytes.subarray(0, line)))) {
    parts[name] = bytes.slice(at, at + length);
    at += length;
  }
  return parts;
};
})();
