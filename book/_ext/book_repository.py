"""What the address of the book's repository in `_config.yml` brings, and its absence leaves out."""

import re
from urllib.parse import quote

from sphinx.errors import ConfigError

GITHUB = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)/?(?<!\.git)")
ASKED = "body=Your%20issue%20content%20here."  # by sphinx-book-theme 1.3
REPORT = "What the page says, and where:\n\nWhat is wrong or unclear:\n\n"


def _buttons(app, config):
    options = config.html_theme_options
    url = options.get("repository_url")
    if url and not GITHUB.fullmatch(url):
        raise ConfigError(
            f"repository url in _config.yml is {url!r}; it should be https://github.com/OWNER/NAME"
        )
    if not url:
        options["launch_buttons"] = {}
    options["use_repository_button"] = options["use_issues_button"] = bool(url)


def _site(app, config):
    """The site's own address: where GitHub Pages serves the repository, or `html: baseurl`."""
    url = config.html_theme_options.get("repository_url")
    if url and not config.html_baseurl:
        owner, name = GITHUB.fullmatch(url).groups()
        config.html_baseurl = f"https://{owner.lower()}.github.io/{name}/"


def _clone(app, page, source):
    """Where the first page asks for a clone, the address to take it from."""
    if url := app.config.html_theme_options.get("repository_url"):
        link = f"[{url.removeprefix('https://')}]({url})"
        source[0] = source[0].replace("clone the repository", f"clone {link}")


def _mend(app, pagename, templatename, context, doctree):
    for group in context.get("header_buttons", []):
        if "buttons" in group:
            for button in group["buttons"]:
                if "url" in button:
                    button["url"] = button["url"].replace(ASKED, f"body={quote(REPORT)}")


def setup(app):
    app.connect("config-inited", _buttons)
    app.connect("config-inited", _site, priority=900)
    app.connect("source-read", _clone)
    app.connect("html-page-context", _mend, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
