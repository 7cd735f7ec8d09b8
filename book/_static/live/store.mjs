// What the browser keeps of a reader: the edited cells of each page, and which exercises are solved.
const PROGRESS = "attnbook-progress";
const PAGE = `attnbook-edits:${location.pathname}`;

function read(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {  // a browser that keeps nothing
    return "";
  }
}

function write(key, text) {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {}
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

// An exercise that is solved here or there is solved, and the more tries count.
function join(one, other) {
  const solved = [one?.solved, other?.solved].filter(Boolean).sort()[0];
  return { tries: Math.max(one?.tries ?? 0, other?.tries ?? 0), ...(solved && { solved }) };
}

// An edit counts for the text that was edited: where the book has changed the cell, it is forgotten.
export const edits = {
  of(name, original) {
    const edit = parsed(read(PAGE))[name];
    return edit?.original === original ? edit.source : undefined;
  },
  set(name, original, source) {
    const all = parsed(read(PAGE));
    if (source === original) delete all[name];
    else all[name] = { original, source };
    write(PAGE, Object.keys(all).length ? JSON.stringify(all) : "");
  },
};

export const progress = {
  text: () => read(PROGRESS),
  all: () => parsed(read(PROGRESS)),
  // Another page may have added to it: what either knows is kept.
  add(text) {
    const all = this.all();
    for (const [name, entry] of Object.entries(parsed(text))) all[name] = join(all[name], entry);
    write(PROGRESS, JSON.stringify(all));
    dispatchEvent(new Event("attnbook-progress"));
  },
};
