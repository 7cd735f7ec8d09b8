"""The ids and links of a page, made those of one document that holds many pages."""

import posixpath
from urllib.parse import unquote, urlsplit

INSIDE = "url(#"  # how a drawing names a part of itself


def anchor(page, name=""):
    """What a page is called in the document, or what one of its ids is."""
    return "--".join(filter(None, (page.removeprefix("book/").replace("/", "-"), name)))


def target(href, page, printed):
    """Where a link of the page leads in the document; None, if it leads to a page outside it."""
    address = urlsplit(href)
    if address.scheme:
        return href
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), address.path))
    other = path.removesuffix(".html") if address.path else page
    return f"#{anchor(other, unquote(address.fragment))}" if other in printed else None


def address(article, page, printed):
    """Give each id of the page its name in the document, and lead each link there.

    A link to a page that is not printed becomes the words that it was made of.
    """
    for element in article.find_all(True):
        if "id" in element.attrs:
            element["id"] = anchor(page, element["id"])
        for name, value in element.attrs.items():
            if isinstance(value, str) and INSIDE in value:
                element[name] = value.replace(INSIDE, f"{INSIDE}{anchor(page)}--")
        for name in {"href", "xlink:href"} & element.attrs.keys():
            if not element[name].startswith("data:"):
                element[name] = target(element[name], page, printed)
    for link in article.find_all("a", href=lambda href: not href):
        link.unwrap()


def dangling(articles):
    """The links of these articles that lead to nothing in them."""
    ids = {e.get("id") for article in articles for e in (article, *article.find_all(id=True))}
    links = (link["href"] for article in articles for link in article.find_all("a", href=True))
    return sorted({href for href in links if href.startswith("#") and href[1:] not in ids})
