"""Print the book: `join` makes one document of its pages, and `printing` has Chromium print it.

The package's reference and the reader's list of solved exercises stay on the site.
"""
