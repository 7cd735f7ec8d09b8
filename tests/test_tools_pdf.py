"""Pages become one document: no id stands twice in it, and no link of a page is lost or dangles."""

import pytest
from bs4 import BeautifulSoup

from tools.pdf.links import address, anchor, dangling, target

PRINTED = ["book/numpy/masks", "book/gpu/cost"]


def article(html, page=PRINTED[0]):
    found = BeautifulSoup(f"<article>{html}</article>", "html.parser").article
    address(found, page, PRINTED)
    return found


@pytest.mark.parametrize(
    ("href", "leads"),
    [
        ("#bias", "#numpy-masks--bias"),
        ("../gpu/cost.html", "#gpu-cost"),
        ("../gpu/cost.html#a%C3%A4", "#gpu-cost--aä"),
        ("https://arxiv.org/abs/1706.03762", "https://arxiv.org/abs/1706.03762"),
        ("softmax.html", None),
        ("../api/masks.html#attnbook.masks", None),
    ],
)
def test_a_link_leads_into_the_document_or_out_of_the_book_or_nowhere(href, leads):
    assert target(href, PRINTED[0], PRINTED) == leads


def test_a_link_to_a_page_that_is_not_printed_becomes_its_words():
    link = '<p>See <a href="scale.html">Chapter 7</a>.</p>'
    assert str(article(link).p) == "<p>See Chapter 7.</p>"


def test_two_pages_have_no_id_in_common_and_each_drawing_keeps_its_parts():
    drawing = '<svg id="d"><path id="c"/><g clip-path="url(#c)"><use xlink:href="#c"/></g></svg>'
    one, other = (article(drawing, page) for page in PRINTED)
    ids = [{element["id"] for element in each.find_all(id=True)} for each in (one, other)]
    assert len(ids[0]) == len(ids[1]) == 2 and not ids[0] & ids[1]
    part = anchor(PRINTED[0], "c")
    assert one.g["clip-path"] == f"url(#{part})" and one.use["xlink:href"] == f"#{part}"


def test_a_link_to_nothing_is_found():
    whole = article('<a href="#here">a</a> <a href="#gone">b</a> <p id="here"></p>')
    assert dangling([whole]) == ["#numpy-masks--gone"]
