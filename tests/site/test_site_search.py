"""A search leads to a section, first to one of the chapter that teaches what is searched for."""

import pytest
from book_search import packed, unpacked

TAUGHT = {  # what a reader types -> part of the address where the first result may lead
    "log-sum-exp": "numpy/softmax.html",
    "logsumexp": "numpy/softmax.html",
    "softmax": "numpy/softmax.html",
    "softmax overflow": "numpy/softmax.html",
    "NaN": "book/numpy/",  # softmax makes the first, the museum shows the most
    "causal mask": "numpy/masks.html#",
    "padding": "numpy/masks.html#",
    "valid_lens": "html#",
    "multi-head": "numpy/heads.html",
    "multi-head attention": "numpy/heads.html",
    "grouped heads": "numpy/heads.html#shared-keys",
    "RoPE": "numpy/positions.html#rotate-the-query",
    "alibi": "numpy/positions.html#subtract-a-penalty",
    "finite differences": "numpy/gradients.html#finite-differences",
    "backward": "numpy/gradients.html",
    "online softmax": "numpy/online.html",
    "FlashAttention": "numpy/flash-attention.html",
    "delta rule": "numpy/linear.html#correct-the-delta-rule",
    "linear attention": "numpy/linear.html",
    "rope_backward": "html#",
    "dropout": "pytorch/modules.html#",
    "is_causal": "pytorch/libraries.html#is-causal",
    "KV cache": "numpy/heads.html#writing-word-by-word-the-kv-cache",
    "backpropagation through softmax": "numpy/gradients.html#through-softmax",
    "memory bandwidth": "gpu/roofline.html#the-same-job-on-a-gpu",
    "install": "book/index.html#how-to-read-it",
    "bahdanau": "numpy/additive.html",
    "heat map": "html#",
    "bfloat16": "pytorch/precision.html",
    "transformer architecture": "learning/transformer.html",
    "attention is all you need": "numpy/three-ways.html#where",  # where its diagram is read
    "FlexAttention": "gpu/flex-attention.html",
    "score_mod": "gpu/flex-attention.html#",
    "block mask": "gpu/flex-attention.html#",
    "how do I find a NaN": "pytorch/twins.html#break-it-once-find-the-nan",
}
NOTHING = ["kubernetes", "zyzzyva"]  # no chapter speaks of either


def _hits(page):
    page.locator("#search-results [role=status]").wait_for()
    return page.locator("#search-results a").evaluate_all(
        "all => all.map(a => a.getAttribute('href'))"
    )


@pytest.fixture(scope="module")
def results(browser, site):
    """The first results of each query, all asked for on one page."""
    page = browser.new_page()
    page.goto(f"{site}/search.html?q=softmax")
    _hits(page)
    first = "query => search(query).slice(0, 5).map(section => section.at)"
    yield {query: page.evaluate(first, query) for query in [*TAUGHT, *NOTHING]}
    page.close()


@pytest.mark.parametrize("query", TAUGHT)
def test_the_chapter_that_teaches_it_comes_first(results, query):
    assert TAUGHT[query] in results[query][0], results[query]


def test_a_chapter_comes_before_its_sections_and_a_section_before_exercises(results):
    assert results["softmax"][0].endswith("numpy/softmax.html")
    assert not [at for query in ("NaN", "padding") for at in results[query][:2] if "exercise" in at]


def test_a_function_is_found_in_the_api(results):
    place = "book/api/gradients.html#attnbook.gradients.rope_backward"
    assert place in results["rope_backward"]


@pytest.mark.parametrize("query", NOTHING)
def test_nothing_is_found_that_is_not_there(results, query):
    assert results[query] == []


def test_each_result_leads_to_what_exists(folder):
    index = (folder / "_static" / "sections.js").read_text(encoding="utf-8")
    found = unpacked(index)
    sections = [address + row[0] for address, _, rows in found for row in rows]
    pages = {
        p: (folder / p).read_text(encoding="utf-8") for p in {s.split("#")[0] for s in sections}
    }
    for section in sections:
        page, _, anchor = section.partition("#")
        assert not anchor or f'id="{anchor}"' in pages[page], section


def test_pages_come_back_from_the_index_as_they_were():
    pages = [["a.html", "A", [["#b", "1.2", "1/√d", "“x”|y, a word a word\n", "rope_backward"]]]]
    assert unpacked(f'const PAGES = "{packed(pages)}";\n') == pages
    with pytest.raises(ValueError, match=r"'\\ue000', which stands for a word"):
        packed([["a.html", "\ue000", []]])


def test_by_keyboard_from_any_page(visit):
    page = visit("book/index.html").page
    page.keyboard.press("Control+k")
    page.keyboard.type("log-sum-exp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=log-sum-exp*")
    assert "numpy/softmax.html" in _hits(page)[0]
    page.locator("#search-results a[href*='softmax.html#']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/softmax.html#*")
    assert page.evaluate("scrollY") > 0
    assert page.locator("mark, .highlighted").count() == 0


def test_excerpts_begin_at_a_word(visit):
    page = visit("search.html?q=softmax").page
    _hits(page)
    excerpts = page.locator("#search-results li p:last-child").all_inner_texts()
    texts = " ".join(page.evaluate("index.map(section => section.text)")).split()
    begins = [excerpt.removeprefix("… ").split() for excerpt in excerpts]
    assert {words[0] for words in begins if words} <= set(texts)


def test_no_excerpt_tells_an_answer_that_waits_to_be_asked_for(folder, visit):
    secret = "and none can overflow"  # in an answer of the chapter on softmax
    assert secret in (folder / "book/numpy/softmax.html").read_text(encoding="utf-8")
    texts = visit("search.html?q=softmax").page.evaluate("index.map(section => section.text)")
    assert not [text for text in texts if secret in text]


def test_a_search_fetches_no_pages(visit):
    opened = visit("search.html?q=softmax")
    _hits(opened.page)
    assert not [url for url in opened.requests if "/book/" in url]


def test_from_a_folder(browser, folder):
    page = browser.new_page()
    page.goto(f"{folder.as_uri()}/search.html?q=padding")
    assert "numpy/masks.html#" in _hits(page)[0]
    page.close()
