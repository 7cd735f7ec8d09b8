"""In the bibliography, the way back: the chapters that cite each source."""

from docutils import nodes

PAGE = "book/bibliography"


def _again(app, env):
    return [PAGE] if PAGE in env.found_docs else []


def _chapters(env, key):
    numbers = {page: env.toc_secnumbers.get(page, {}).get("") for page in env.book_citations}
    citing = [page for page, keys in env.book_citations.items() if key in keys and numbers[page]]
    return sorted((numbers[page][0], page) for page in citing)


def _way_back(app, document, page):
    if page != PAGE:
        return
    keys = {source.citation_id: source.key for source in app.env.get_domain("cite").citations}
    for entry in document.findall(nodes.citation):
        chapters = _chapters(app.env, keys[entry["ids"][0]])
        if not chapters:
            continue
        line = nodes.inline("", " Cited in Chapter ", classes=["users"])
        for i, (number, chapter) in enumerate(chapters):
            uri = app.builder.get_relative_uri(PAGE, chapter)
            line += [nodes.Text(", ")] if i else []
            line += nodes.reference("", str(number), internal=True, refuri=uri)
        line += nodes.Text(".")
        entry[-1] += line


def setup(app):
    app.connect("env-updated", _again)
    app.connect("doctree-resolved", _way_back)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
