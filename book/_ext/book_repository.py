"""Show the launch and repository buttons only when `_config.yml` names the book's repository."""

import re

from sphinx.errors import ConfigError

GITHUB = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+?/?(?<!\.git)")


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


def setup(app):
    app.connect("config-inited", _buttons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
