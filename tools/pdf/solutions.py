"""The appendix: each exercise's solution, taken out of its card, with links there and back."""

from bs4 import BeautifulSoup

from tools.pdf.contents import page_of, titled

HEAD = """<article class="bd-article" id="solutions"><h1 id="all-solutions">Solutions</h1>
<p>The package holds these solutions, too: there, a line such as
<code class="literal">exercises.masks.causal_mask.solution()</code> shows one.
Your own may look different and be just as right, because an answer is judged by the exercise’s
check, and not by its likeness to ours.</p>"""


def _moved(card):
    """The card's solution as a section of the appendix; a link takes its place in the card."""
    here = card.h3["id"]
    there = f"solution--{here}"
    solution = card.find(class_="solution")
    link = f'<p class="to-solution"><a href="#{there}">Solution on page {page_of(there)}</a></p>'
    solution.replace_with(BeautifulSoup(link, "html.parser"))
    solution.summary.decompose()
    number = card.find(class_="exercise-number").get_text().removeprefix("Exercise ")
    name = titled(card.h3).partition("</span>")[2]
    title = f'<span class="exercise-number">{number}</span>{name}'
    back = f'<p class="back"><a href="#{here}">The exercise on page {page_of(here)}</a></p>'
    text = f'<section class="answer"><h3 id="{there}">{title}</h3>{back}'
    return f"{text}{solution.decode_contents()}</section>"


def appendix(articles):
    """The article of all solutions, which the other articles hold no longer."""
    parts = []
    for article in articles:
        cards = article.select("section.exercise:has(> details.solution)")
        if cards:
            parts += ["<section>", f"<h2>{titled(article.h1)}</h2>", *map(_moved, cards)]
            parts += ["</section>"]
    html = "\n".join([HEAD, *parts, "</article>"])
    return BeautifulSoup(html, "html.parser").article
