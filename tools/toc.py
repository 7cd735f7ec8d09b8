"""What `_toc.yml` lists, as files without their ending and in their order."""

import yaml

from tools.reproducible import ROOT


def pages():
    """Every page of the book, the first one first."""
    toc = _read()
    return [toc["root"], *_files(toc)]


def chapters():
    """The numbered chapters: the place of each, counted from 1, is its number."""
    return [file for part in _numbered() for file in _files(part)]


def parts():
    """The chapters of each part, by the part's caption."""
    return {part["caption"]: list(_files(part)) for part in _numbered()}


def _numbered():
    return [part for part in _read().get("parts", []) if part.get("numbered")]


def _read():
    return yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))


def _files(listed):
    for below in ("parts", "chapters", "sections"):
        for entry in listed.get(below, []):
            yield from [entry["file"]] if "file" in entry else []
            yield from _files(entry)
