// Search of the book's sections (sections.js, written by book_search.py): a section counts the more, the more of the
// words it has; titles count most, then text, then code.

const simple = word => word.length > 4 ? word.replace(/(?<=[^s])s$/, "") : word;
// "log-sum-exp" and "valid_lens" are found whole, without their signs, and by their parts
const words = text => (text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [])
  .flatMap(word => /[-_.]/.test(word) ? [word.replace(/[-_.]/g, ""), ...word.split(/[-_.]/)] : [word])
  .map(simple);
const COMMON = new Set("a an and are by can do does for from how i in is it my of on the to what when where which why with you"
  .split(" "));
const asked = text => {
  const typed = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [];
  const telling = typed.filter(word => !COMMON.has(word));
  return (telling.length ? telling : typed).map(word => simple(word.replace(/[-_.]/g, "")));
};

const counted = text => words(text).reduce(
  (counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map());
const indexed = pages => {
  const sections = pages.flatMap(([address, page, rows]) => rows.map(
    ([anchor, n, title, text, code]) => ({at: address + anchor, n, title, page, text, code})));
  const chapters = new Map(sections.filter(({at}) => !at.includes("#"))
    .map(({page, n}) => [page, parseInt(n) || 0]));
  return sections.map(section => ({
    ...section,
    counts: {title: counted(section.title), text: counted(section.text), code: counted(section.code)},
    phrase: ` ${words(`${section.title} ${section.text}`).join(" ")} `,
    chapter: chapters.get(section.page) ?? 0,
  }));
};
const unpacked = async packed => {
  const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
  const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const [line, brief] = text.split("\n"), often = line.split("|");
  return JSON.parse(brief.replace(/[\ue000-\uf8ff]/g, letter => often[letter.charCodeAt(0) - 0xe000]));
};
let index = [];

const WEIGHT = {title: 12, text: 3, code: 1};
const hits = (counts, word) => {
  const whole = counts.get(word) ?? 0;
  if (whole || word.length < 4) return whole;
  let begun = 0;
  for (const [other, count] of counts) if (other.startsWith(word)) begun += count / 2;
  return begun;
};
const rarity = word => {
  const having = index.filter(({counts}) => hits(counts.text, word) || hits(counts.title, word));
  return Math.log(1 + index.length / (1 + having.length));
};
const score = (section, query, rare, phrase) => {
  let sum = 0, known = 0, all = 0;
  for (const word of query) {
    const found = Object.entries(WEIGHT).map(([field, weight]) =>
      weight * Math.log2(1 + hits(section.counts[field], word)));
    const best = found.reduce((a, b) => a + b);
    sum += best * rare.get(word);
    known += best ? rare.get(word) : 0;
    all += rare.get(word);
  }
  if (known < all / 2) return 0;
  sum *= (known / all) ** 3;
  if (query.length > 1 && section.phrase.includes(` ${phrase}`)) sum *= 1 + phrase.split(" ").length / 2;
  if (section.chapter && words(section.title).join("") === query.join("")) sum *= 40;  // the section has that very name
  if (!section.chapter) return sum / 9;
  return /#(aside|exercise|what-we-have-now)/.test(section.at) ? .2 * sum : sum;
};

// Chapter by chapter: first the one that says most of what was asked for, in it the best section. Sections count
// less than their sum: many that mention a word do not outweigh the one that teaches it.
const ranked = (query, phrase = query.join(" ")) => {
  const rare = new Map(query.map(word => [word, rarity(word)]));
  const pages = new Map();
  for (const section of index) {
    const points = score(section, query, rare, phrase);
    if (!points) continue;
    const hits = pages.get(section.page) ?? [];
    hits.push({section, points});
    pages.set(section.page, hits);
  }
  const taught = hits => {
    const {chapter, page} = hits[0].section, title = words(page);
    const named = query.filter(word => title.includes(word)).length / query.length;
    const said = hits.reduce((sum, {points}) => sum + points ** 1.5, 0) ** (1 / 1.5);
    return said * (1 + 2 * named ** 2) / (1 + (chapter || 50)) ** .7;  // the earlier chapter teaches
  };
  const best = [...pages.values()].sort((a, b) => taught(b) - taught(a));
  return best.flatMap(hits => hits.sort((a, b) => b.points - a.points).map(hit => hit.section));
};
const search = text => {
  const query = asked(text);
  if (!query.length) return [];
  const all = ranked(query, words(text).join(" "));
  if (all.length || query.length === 1) return all;
  const joined = ranked([query.join("")]);  // "heat map": heatmap
  return joined.length ? joined : ranked(query.filter(word => ranked([word]).length));
};

// An excerpt begins at a word, shortly before the first word that was asked for.
const excerpt = ({text}, query) => {
  const parts = text.split(" ");
  const at = parts.findIndex(part => words(part).some(word => query.some(q => word.startsWith(q))));
  const from = Math.max(0, at - 8);
  const shown = parts.slice(from, from + 32);
  return {shown, before: from > 0, after: from + 32 < parts.length};
};

const element = (tag, content, properties = {}) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...[content].flat());
  return made;
};
const result = (section, query, root) => {
  const {shown, before, after} = excerpt(section, query);
  const sought = part => words(part).some(word => query.some(q => word.startsWith(q)));
  const line = shown.flatMap(part => [sought(part) ? element("mark", part) : part, " "]);
  const title = section.n ? `${section.n}. ${section.title}` : section.title;
  const link = element("a", title, {href: root + section.at});
  return element("li", [
    element("p", section.title === section.page ? [link] : [link, element("span", ` ${section.page}`)]),
    element("p", [before ? "… " : "", ...line, after ? "…" : ""]),
  ]);
};

const MOST = 40;
const answer = () => {
  const text = new URLSearchParams(location.search).get("q") ?? "";
  const root = document.documentElement.dataset.content_root;
  document.querySelector(".bd-search-container input").value = text;
  if (!text) return;
  const found = search(text);
  const many = `${found.length || "No"} section${found.length === 1 ? "" : "s"}`;
  const list = element("ul", found.slice(0, MOST).map(section => result(section, asked(text), root)));
  document.getElementById("search-results").replaceChildren(
    element("p", `${many} with “${text}”`, {role: "status"}), list);
};
unpacked(PAGES).then(pages => {
  index = indexed(pages);
  answer();
});
