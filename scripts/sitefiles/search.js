// The search of the documentation. search-index.js has the index; nothing is fetched, so it works from disk.
"use strict";

const MOST = 20;

// Returns the numbers of the sections that have a word which begins with `start`, and for each the weight: a whole word weighs more.
function sectionsWith(index, start) {
  const found = new Map();
  for (const [word, sections] of Object.entries(index.words))
    if (word.startsWith(start))
      for (const section of sections) found.set(section, Math.max(found.get(section) || 0, word === start ? 2 : 1));
  return found;
}

// Returns [title, link] of the sections that have all words of a query, the best first. Words in a title weigh most.
function search(index, query) {
  const words = query.toLowerCase().match(/[a-z0-9_]+/g) || [];
  let scores = null;
  for (const word of words) {
    const found = sectionsWith(index, word);
    const both = new Map();
    for (const [section, weight] of found)
      if (scores === null || scores.has(section)) {
        const titled = index.sections[section][0].toLowerCase().includes(word) ? 4 : 0;
        both.set(section, (scores === null ? 0 : scores.get(section)) + weight + titled);
      }
    scores = both;
  }
  return [...(scores || [])].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, MOST)
    .map(([section]) => index.sections[section]);
}

if (typeof document !== "undefined") {
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const root = document.body.dataset.root;
  field.addEventListener("input", () => {
    const found = search(cm200Index, field.value);
    list.replaceChildren(...found.map(([title, link]) => {
      const entry = document.createElement("li"), anchor = document.createElement("a");
      anchor.textContent = title;
      anchor.href = `${root}/${link}`;
      entry.append(anchor);
      return entry;
    }));
    list.hidden = found.length === 0;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    }
    if (event.key === "Escape") {
      field.value = "";
      list.hidden = true;
    }
  });
} else {
  module.exports = { search }; // for tests/check-site.py
}
