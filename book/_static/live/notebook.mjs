// The page as a notebook, with the reader's edits.
const source = () => document.querySelector(".btn-download-source-button").href;

export async function download(cells) {
  const notebook = await (await fetch(source())).json();
  const codes = notebook.cells.filter((cell) => cell.cell_type === "code");
  for (const cell of cells) {
    if (cell.source === cell.original) continue;
    const code = codes[cell.number - 1];
    Object.assign(code, { source: cell.source, outputs: [], execution_count: null });
  }
  const file = new Blob([JSON.stringify(notebook, null, 1)], { type: "application/x-ipynb+json" });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: source().split("/").pop() });
  link.click();
  URL.revokeObjectURL(link.href);
}
