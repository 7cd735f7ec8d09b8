"""Scripts that open a figure which a reader moves, and find what is wrong with handling it."""

MOUNT = """async ([name, changed]) => {
  const { mount } = await import("/_static/live/moving.mjs");
  const figure = await import(`/_static/live/figures/${name}.mjs`);
  const place = document.querySelector(".moving");
  place.dataset.figure = name;
  mount(place, {...figure, ...eval(`(${changed})`)});
}"""
VALUES = """place => [...place.querySelectorAll("input[type=range]")]
  .filter(slider => slider.getAttribute("aria-valuetext") !== slider.nextElementSibling.textContent)
  .map(slider => `says no value: ${slider.parentElement.textContent}`)"""
SMALL = """place => [...place.querySelectorAll("input, button")]
  .filter(control => control.getBoundingClientRect().height < 32)
  .map(control => `is low: ${control.type}, ${control.getBoundingClientRect().height} px`)"""
STUCK = """place => {  // each control once, then back: a slider to both ends, in case it is at one
  const drawn = () => place.querySelector("svg").innerHTML, first = drawn();
  const reset = [...place.querySelectorAll("button")].at(-1);
  const slides = slider => [slider.min, slider.max].some(end => {
    slider.value = end;
    slider.dispatchEvent(new Event("input"));
    return drawn() !== first;
  });
  const moves = control => control.type === "range" ? slides(control)
    : (control.click(), drawn() !== first);
  return [...place.querySelectorAll("input, button:not([aria-pressed=true])")].flatMap(control => {
    const moved = control === reset || moves(control);
    reset.click();
    return [moved || "moves nothing", drawn() === first || "is not reset"]
      .filter(told => told !== true).map(told => `${told}: ${control.type}`);
  });
}"""
CHATTER = """async place => {  // how often it speaks of twenty changes in a row
  const said = place.querySelector("[role=status]"), slider = place.querySelector("input");
  let heard;
  const told = new Promise(done => { heard = done; });
  new MutationObserver(heard).observe(said, {childList: true});
  for (let i = 0; i < 20; i++) {
    slider.value = Number(slider.min) + i % 2 * slider.step;
    slider.dispatchEvent(new Event("input"));
  }
  return (await told).length;
}"""
LAGS = """place => {  // what a change leaves unsaid to those who see
  const slider = place.querySelector("input"), said = place.querySelector(".said");
  slider.value = slider.max;
  const first = said.textContent;
  slider.dispatchEvent(new Event("input"));
  return first === said.textContent || said.ariaHidden !== "true";
}"""
UNNAMED = """place => {  // labels without a word of what the figure says
  const said = place.querySelector(".said").textContent.toLowerCase();
  const words = label => label.toLowerCase().match(/[a-z]{3,}[a-rt-z]/g);  // in the singular
  const labels = [...place.querySelectorAll(".controls > :is(label, .choices)")];
  return labels.map(label => label.firstChild.textContent)
    .filter(label => !words(label).some(word => said.includes(word)));
}"""
TANGLED = """svg => {
  const {left, right, top, bottom} = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent);
  const boxes = texts.map(text => [text.textContent, text.getBoundingClientRect()]);
  const out = boxes.filter(([, box]) =>
    box.left < left || box.right > right || box.top < top || box.bottom > bottom);
  const over = boxes.flatMap(([words, a], i) => boxes.slice(i + 1)
    .filter(([, b]) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 5)  // of a line's height
    .map(([others]) => `lies over another text: ${words} and ${others}`));
  return [...out.map(([words]) => `is cut off: ${words}`), ...over];
}"""
