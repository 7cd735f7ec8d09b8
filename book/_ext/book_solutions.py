"""`{solution-of} chapter.exercise`: a closed box with the solution that the package holds."""

import re
from importlib import import_module
from pathlib import Path

from book_package import NOT_THERE
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.ext.autodoc.mock import mock
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

WIDE = re.compile(r"^(?=.{84})(def \w+\()(.+)(\):)$", re.MULTILINE)  # than a solution's box
log = logging.getLogger(__name__)


class solution(nodes.General, nodes.Element):
    pass


class SolutionOf(SphinxDirective):
    required_arguments = 1

    def run(self):
        from attnbook import exercises

        name = self.arguments[0]
        try:
            with mock([*NOT_THERE, "attnbook.kernels"]):  # a page runs nothing
                _leave_kernels_as_written()
                exercise = exercises.find(name)
        except LookupError:
            log.warning("no exercise is called %r", name, location=self.get_location())
            return []
        for source in Path(exercises.__file__).parent.rglob("*.py"):
            self.env.note_dependency(str(source))
        return [self._box(name, WIDE.sub(r"\1\n    \2\n\3", exercise.solution_markdown()))]

    def _box(self, name, markdown):
        box = solution()
        lines = StringList(markdown.splitlines(), source=f"the solution of {name}")
        self.state.nested_parse(lines, self.content_offset, box)
        return box


def _leave_kernels_as_written():
    """Let Triton's decorator, a mock, return the function itself: its source is what is shown."""
    import_module("triton").jit = lambda kernel: kernel


def visit_solution(visitor, node):
    visitor.body.append('<details class="solution"><summary>Solution</summary>\n')


def depart_solution(visitor, node):
    visitor.body.append("</details>\n")


def setup(app):
    app.add_node(solution, html=(visit_solution, depart_solution))
    app.add_directive("solution-of", SolutionOf)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
