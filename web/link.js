// Links to a state of the page: what a fragment (the part of the address behind #) holds, and reading one that may be hostile.
// No part of this file knows the document, so that node can test it.
//
// A state is an object of strings and lists: file, text (only where it differs from the shipped file), nodes, set (a list of
// "section.key=value"), lesson and part (numbers), before (the state of the run to compare with), and the options of the viewer
// in PICTURE. The fragment is a query string of what is there: #file=programs/examples/sort.json&nodes=64&at-cycle=512.
"use strict";
(() => {
const LINK_MAX = 200_000; // characters of a fragment
const TEXT_MAX = 1 << 20; // bytes of a text when it is unpacked
const SETS_MAX = 32;
const NAME = /^[\w-]{1,40}$/;
const NUMBER = /^\d{1,16}$/;
// Options of the viewer (cm_web_options in viz/web/page.h).
const PICTURE_KEYS = { "at-cycle": NUMBER, pin: /^\d{1,9}(:\d{1,3}:\d)?$/, panel: NAME, layout: NAME, palette: NAME, span: NAME,
                       load: NAME, range: NAME, theme: NAME };
const PICTURE = Object.keys(PICTURE_KEYS);
const KEYS = {
  file: /^(?!\/)(?!.*\.\.)[\w .+\/-]{1,200}$/, nodes: /^\d{1,9}$/, set: /^[\w.]{1,80}=[\w.+-]{1,40}$/, lesson: NUMBER, part: NUMBER,
  ...PICTURE_KEYS,
};

// ---- bytes and text ----

function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text) {
  if (!/^[\w-]*$/.test(text)) throw new Error("its text is not in base64");
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
}

// Sends bytes through a stream that packs or unpacks, and stops where the result is longer than `most`.
async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      reader.cancel().catch(() => {});
      throw new Error(`its text is longer than ${most.toLocaleString("en")} bytes`);
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const packText = async (text) =>
  toBase64Url(await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), Infinity));

async function unpackText(text) {
  let bytes;
  try {
    bytes = await through(fromBase64Url(text), new DecompressionStream("deflate-raw"), TEXT_MAX);
  } catch (error) {
    if (/^its text/.test(error.message)) throw error;
    throw new Error("its text is damaged");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("its text is not UTF-8");
  }
}

// ---- fragments ----

// The fragment of a state, without #.
async function pack(state) {
  const query = new URLSearchParams();
  for (const key of Object.keys(KEYS))
    for (const value of [].concat(state[key] ?? [])) if (value !== "") query.append(key, String(value));
  if (state.text !== undefined) query.append("text", await packText(state.text));
  if (state.before) query.append("before", await packText(await pack(state.before)));
  // blanks as %20: a + is left alone by programs that take addresses out of messages
  return query.toString().replace(/\+/g, "%20").replace(/%2F/g, "/").replace(/%3A/g, ":").replace(/%3D/g, "=");
}

// The state of a fragment. Throws an Error that says what is wrong with it.
async function unpack(fragment, inner = false) {
  if (fragment.length > LINK_MAX)
    throw new Error(`it has ${fragment.length.toLocaleString("en")} characters, more than ${LINK_MAX.toLocaleString("en")}`);
  const state = {};
  for (const [key, value] of new URLSearchParams(fragment)) {
    if (key === "text") state.text = await unpackText(value);
    else if (key === "before" && !inner) state.before = await unpack(await unpackText(value), true);
    else if (!Object.hasOwn(KEYS, key)) throw new Error(`it has an unknown part, ${JSON.stringify(key.slice(0, 40))}`);
    else if (!KEYS[key].test(value)) throw new Error(`its part "${key}" has a wrong value, ${JSON.stringify(value.slice(0, 40))}`);
    else if (key === "set") state.set = [...(state.set || []), value];
    else state[key] = value;
  }
  if ((state.set || []).length > SETS_MAX) throw new Error(`it has more than ${SETS_MAX} settings`);
  return state;
}

// The words of a line of settings, or an Error.
function readSets(line) {
  const words = line.split(/\s+/).filter((word) => word);
  for (const word of words) if (!KEYS.set.test(word)) throw new Error(`${JSON.stringify(word)} is no setting such as memory.page_words=512`);
  return words;
}

const made = { pack, unpack, readSets, PICTURE };
if (typeof window !== "undefined") window.cm200Link = made;
if (typeof module !== "undefined") module.exports = made;
})();
