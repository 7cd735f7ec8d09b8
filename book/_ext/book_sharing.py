"""Each page's description and, once the site's address is known, what a shared link shows.

Beside it the pages that nobody writes: the redirect at the root, the page for a wrong address and
the list of pages for search engines.

Three extensions would do as much, each with about as many lines of ours around it.
sphinxext-opengraph 0.13 names relative addresses where the site's is not known, and no card beside
a picture of one's own; sphinx-sitemap 2.9 calls a missing address a warning, which fails the build,
and lists the search, too; sphinx-notfound-page 1.1 has to be told in which folder the site lies.
"""

from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes

LONGEST = 200
PICTURE = "_static/hero.png"
VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1" />'
REDIRECT = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<title>{title}</title>{canonical}
<link rel="icon" href="_static/logo.svg">
<meta http-equiv="refresh" content="0; url={root}.html">
<p><a href="{root}.html">{title}</a></p>
</html>
"""


def describe(doctree):
    """The first sentences of a page, as many as a result of a search engine shows."""
    paragraphs = (
        p for p in doctree.findall(nodes.paragraph) if isinstance(p.parent, nodes.section)
    )
    text = " ".join(next(paragraphs, nodes.paragraph()).astext().split())
    if len(text) <= LONGEST:
        return text
    return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def _meta(app, pagename, title, doctree):
    description = describe(doctree)
    tags = {"description": description, "og:title": title, "og:description": description}
    tags |= {"og:type": "website" if pagename == app.config.root_doc else "article"}
    tags |= {"og:site_name": app.config.project}
    if base := app.config.html_baseurl:
        tags |= {"og:url": f"{base}{pagename}.html", "og:image": base + PICTURE}
        tags |= {"twitter:card": "summary_large_image"}
    for name, content in tags.items():
        kind = "property" if name.startswith("og:") else "name"
        yield f'<meta {kind}="{name}" content="{escape(content)}" />'


def _head(app, pagename, templatename, context, doctree):
    # Sphinx names the viewport, and docutils 0.21 does so once more
    metatags = context.get("metatags", "").replace(VIEWPORT, "")
    if doctree is not None:
        title = app.env.titles[pagename].astext()
        metatags += "\n".join(_meta(app, pagename, title, doctree))
    context["metatags"] = metatags


def _base(app, pagename, templatename, context, doctree):
    context["site_path"] = urlsplit(app.config.html_baseurl).path or "/"


def _unwritten(app, error):
    if error or app.builder.name != "html":
        return
    base, config = app.config.html_baseurl, app.config
    link = f'\n<link rel="canonical" href="{base}{config.root_doc}.html">' if base else ""
    known = {"language": config.language, "title": escape(config.project), "root": config.root_doc}
    Path(app.outdir, "index.html").write_text(REDIRECT.format(canonical=link, **known))
    if base:
        pages = sorted(app.env.found_docs)
        sitemap = "".join(f"<url><loc>{escape(base + page)}.html</loc></url>\n" for page in pages)
        space = "http://www.sitemaps.org/schemas/sitemap/0.9"
        Path(app.outdir, "sitemap.xml").write_text(
            f'<urlset xmlns="{space}">\n{sitemap}</urlset>\n'
        )


def _not_found(app):
    yield "404", {}, "not-found.html"


def setup(app):
    app.connect("html-page-context", _head)
    app.connect("html-page-context", _base)
    app.connect("html-collect-pages", _not_found)
    app.connect("build-finished", _unwritten, priority=900)  # after etoc's own redirect
    return {"parallel_read_safe": True, "parallel_write_safe": True}
