"""Let the book import the package from `code/`, and show its signatures and prose as written."""

import re
import sys
from importlib import import_module
from pathlib import Path

from sphinx.ext.autodoc.mock import mock

sys.path.insert(0, str(Path(__file__).parents[2] / "code"))
IN_TORCH = "pytorch", "tiled.pytorch", "models", "kernels", "fused", "distributed", "measure"
ON_TENSORS = "book/pytorch/", "book/learning/", "book/gpu/"  # pages whose cells need PyTorch
NOT_THERE = "torch", "triton", "safetensors", "tqdm"  # which `make book` does not install
NEED_TORCH = [f"attnbook.{name}" for name in (*IN_TORCH, "kernels.machine_code")]
SHAPED = re.compile(r"jaxtyping\.(\w+)\[(?:numpy\.)?(ndarray|(?:torch\.)?Tensor), '([^']*)'\]")
IN_MODULE = re.compile(r"\btorch\.(?:\w+\.)+(?=[A-Z])")
HEADING = re.compile(r"^(\w.*)\n---+$", re.MULTILINE)
EQUATION = re.compile(r"(?<!::\n\n)(?<=\n\n)( {4}\S.*(?:\n {4}.*|\n(?=\n {4}))*)")
FORMULA = re.compile(r"\$([^$\n]+)\$")
GRADIENT = re.compile(r"\bgrad_")
NAMED = re.compile(r"\b([a-zA-Z]{2,})_([a-z]{2,})\b")
POWER = re.compile(r"\^\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
INDEX = re.compile(r"(?<!\\)_([a-zA-Z]{2,})")
ROOT = re.compile(r"√(\w+)")
WORDS = re.compile(r"( ?)(?<![{\\\w])([a-zA-Z]{2,}(?: [a-zA-Z]{2,})*)( ?)")
SIGNS = {"Σ": r"\sum", "·": r"{}\cdot ", "⊕": r"\oplus ", "²": "^2", "ᵀ": r"^{\mathsf{T}}"}


def _import_without_torch(*names):
    """Pages are built without PyTorch and Triton: mocks stand for them; signatures need classes."""
    with mock([*NOT_THERE]):
        torch, nn = import_module("torch"), import_module("torch.nn")
        kinds = (torch, "Tensor"), (torch, "device"), (torch, "dtype"), (nn, "Module")
        for place, kind in kinds:
            setattr(place, kind, type(kind, (), {"__module__": place.__name__}))
        for name in names:
            import_module(name)


def _signature(app, what, name, obj, options, arguments, returned):
    def array(match):
        kind = "Array" if match[2] == "ndarray" else "Tensor"
        return f'{match[1]}[{kind}, "{match[3]}"]'

    def as_written(text):
        return text and IN_MODULE.sub("", SHAPED.sub(array, text).replace("~numbers.", ""))

    return as_written(arguments), as_written(returned)


def _docstring(app, what, name, obj, options, lines):
    text = HEADING.sub(r".. rubric:: \1\n", "\n".join(lines))
    text = EQUATION.sub(_formulas, text)
    lines[:] = FORMULA.sub(r":math:`\1`", text).split("\n")


def _formulas(block):
    """One formula for each line of a block; a line that is indented further goes on with it."""
    lines = re.split(r"\n+ {4}(?=\S)", block[1].strip())
    formulas = (_tex(line.replace("\n", " ")) for line in lines)
    return "\n\n".join(f".. math::\n\n    {tex}" for tex in formulas)


def _tex(equation):
    """An equation as a docstring writes it, in TeX: A_ij, √d_k, b^(-2m), q kᵀ, names and words."""

    def upright(match):
        if " " not in match[2]:
            return rf"{match[1]}\operatorname{{{match[2]}}}{match[3]}"
        words = rf"\text{{{match[2]}}}".replace(" ", r"}\;\allowbreak\text{")
        return words.join(r"\;" if space else "" for space in (match[1], match[3]))

    tex = NAMED.sub(r"\\mathtt{\1\\_\2}", GRADIENT.sub(r"\\operatorname{grad} ", equation))
    tex = POWER.sub(r"^{\1}", tex)
    tex = ROOT.sub(r"\\sqrt{\1}", INDEX.sub(r"_{\1}", tex))
    tex = WORDS.sub(upright, re.sub(r"(?<=\S) {2,}", r"\\quad\\allowbreak ", tex))
    return tex.translate(str.maketrans(SIGNS))


def _repeated(app, what, name, found, skip, options):
    """Leave out the fields of a named tuple, which its signature lists with their types."""
    return str(found.__doc__).startswith("Alias for field number") or None


def setup(app):
    _import_without_torch(*NEED_TORCH)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-skip-member", _repeated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
